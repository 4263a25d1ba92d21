package native

import "strings"

// orderless has the functions of the standard library that loop over maps, and do the same in
// every order of the keys. Their source was read in Go 1.26 and 1.27. The keys of headers are
// assumed to be canonical. For a ServeMux the table assumes that it makes no difference which
// of several conflicting patterns an error names.
var orderless = map[string]bool{
	// The result is sorted.
	"internal/fmtsort.Sort":                true,
	"encoding/json.mapEncoder.encode":      true,
	"encoding/json.Marshal":                true, // its caller, since Go 1.27
	"encoding/json.(*Encoder).Encode":      true,
	"encoding/json/v2.makeStructFields":    true,
	"slices.Sorted":                        true,
	"archive/zip.(*Reader).initFileList":   true,
	"encoding/pem.Encode":                  true,
	"flag.sortFlags":                       true,
	"go/ast.CommentMap.Comments":           true,
	"go/ast.CommentMap.String":             true,
	"go/types.(*Checker).sortObjects":      true,
	"go/types.(*Checker).usage":            true,
	"go/types.(*Scope).Names":              true,
	"go/types.NewMethodSet":                true,
	"mime.setMimeTypes":                    true,
	"net/http.Header.sortedKeyValues":      true,
	"net/http.(*Client).makeHeadersCopier": true,
	"net/http/cookiejar.(*Jar).cookies":    true,
	"net/url.Values.Encode":                true,
	"runtime/pprof.Profiles":               true,
	"runtime/pprof.(*Profile).WriteTo":     true,
	"testing.BenchmarkResult.String":       true,
	"testing/fstest.MapFS.Open":            true,

	// Each iteration handles an entry of its own, of one map or another.
	"maps.Clone":                                           true,
	"maps.clone":                                           true,
	"maps.Copy":                                            true,
	"archive/tar.mergePAX":                                 true,
	"crypto/x509.(*CertPool).Clone":                        true,
	"go/types.(*Checker).recordUntyped":                    true,
	"go/types.(*unifier).setHandle":                        true,
	"html/template.(*Template).Clone":                      true,
	"html/template.(*Template).Parse":                      true,
	"html/template.(*Template).AddParseTree":               true,
	"html/template.(*escaper).arbitraryTemplate":           true, // any entry is right
	"html/template.(*escaper).commit":                      true,
	"html/template.(*escaper).escapeListConditionally":     true,
	"mime.ParseMediaType":                                  true,
	"mime/multipart.(*Reader).readForm":                    true,
	"net/http.Header.Clone":                                true,
	"net/http.cloneMultipartForm":                          true,
	"net/http.copyValues":                                  true,
	"net/http.(*Request).ParseMultipartForm":               true,
	"net/http.(*chunkWriter).writeHeader":                  true,
	"net/http.(*response).finalTrailers":                   true,
	"net/http.(*routingIndex).possiblyConflictingPatterns": true,
	"net/http.(*routingNode).matchingMethodsPath":          true,
	"net/http/httptest.(*ResponseRecorder).Result":         true,
	"net/http/httputil.copyHeader":                         true,
	"regexp/syntax.initCategoryAliases":                    true, // before Go 1.27
	"regexp/syntax.initAliases":                            true,
	"testing.(*common).frameSkip":                          true,
	"text/template.(*Template).Clone":                      true,
	"text/template.(*Template).Parse":                      true,
	"text/template.addFuncs":                               true,
	"text/template.addValueFuncs":                          true,

	// The loop counts, adds up, or tests whether all entries have a property.
	"maps.Equal":                    true,
	"reflect.deepValueEqual":        true,
	"crypto/x509.(*CertPool).Equal": true,
	"go/ast.filterPackage":          true,
	"go/types.(*unifier).unknowns":  true,
	"go/types.lookupType":           true,
	"mime/multipart.mimeHeaderSize": true,
	"testing/fstest.MapFS.lstat":    true,
}

// handsOn has functions that pass entries on to their callers, which are looked up in their
// place.
var handsOn = map[string]bool{
	"slices.AppendSeq":                    true,
	"slices.Collect":                      true,
	"net/http.(*mapping).eachPair":        true,
	"text/template.(*Template).Templates": true,
}

// writesJSON has the prefixes of functions that write a map as JSON. Their callers decide
// whether the keys are sorted.
var writesJSON = []string{"encoding/json/v2.make", "encoding/json/v2.marshal", "encoding/json/v2.Marshal"}

// handsMap reports whether a function passes the loop over a map, or its entries, on to the
// calling function.
func handsMap(function string) bool {
	if handsOn[function] {
		return true
	}
	for _, prefix := range writesJSON {
		if strings.HasPrefix(function, prefix) {
			return true
		}
	}
	return false
}
