package native

import "strings"

// orderless has the functions of the standard library that loop over maps, and do the same in every order of the keys.
// They were read in Go 1.26 and 1.27. Of headers it is taken for granted that their keys are canonical, and of a
// ServeMux that it makes no difference with which of several patterns a new one is said to be in conflict.
var orderless = map[string]bool{
	// The result is sorted.
	"internal/fmtsort.Sort":                true,
	"encoding/json.mapEncoder.encode":      true,
	"encoding/json.Marshal":                true, // what others write for it since Go 1.27
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

	// Each turn is about an entry of its own, of one map or another.
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
	"html/template.(*escaper).arbitraryTemplate":           true, // any will do
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
	"net/http.(*routingNode).matchMethods":                 true,
	"net/http/httptest.(*ResponseRecorder).Result":         true,
	"net/http/httputil.copyHeader":                         true,
	"regexp/syntax.initCategoryAliases":                    true,
	"testing.(*common).frameSkip":                          true,
	"text/template.(*Template).Clone":                      true,
	"text/template.(*Template).Parse":                      true,
	"text/template.addFuncs":                               true,
	"text/template.addValueFuncs":                          true,

	// It is counted, added up, or found out whether all entries are so.
	"maps.Equal":                    true,
	"reflect.deepValueEqual":        true,
	"crypto/x509.(*CertPool).Equal": true,
	"go/ast.filterPackage":          true,
	"go/types.(*unifier).unknowns":  true,
	"go/types.lookupType":           true,
	"mime/multipart.mimeHeaderSize": true,
	"testing/fstest.MapFS.lstat":    true,
}

// handsOn has functions that hand what they come upon to their callers, which are asked then.
var handsOn = map[string]bool{
	"slices.AppendSeq":                    true,
	"slices.Collect":                      true,
	"net/http.(*mapping).eachPair":        true,
	"text/template.(*Template).Templates": true,
}

// writesJSON has the prefixes of functions that write a map as JSON. Those that call them say whether its keys are sorted.
var writesJSON = []string{"encoding/json/v2.make", "encoding/json/v2.marshal", "encoding/json/v2.Marshal"}

// handsMap reports whether a function hands the loop over a map, or what that comes upon, to the function that calls it.
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
