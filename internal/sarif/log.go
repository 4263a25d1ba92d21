// Package sarif writes failures as the format SARIF 2.1.0, which GitHub and editors read. Names of
// types and fields are those of the standard.
package sarif

const (
	version = "2.1.0"
	schema  = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

// Log is a file.
type Log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []Run  `json:"runs"`
}

// Run is what one run of the tool has found.
type Run struct {
	Tool               Tool                        `json:"tool"`
	Invocations        []Invocation                `json:"invocations"`
	OriginalURIBaseIDs map[string]ArtifactLocation `json:"originalUriBaseIds"`
	ColumnKind         string                      `json:"columnKind"`
	Results            []Result                    `json:"results"`
}

// Tool names the program.
type Tool struct {
	Driver Driver `json:"driver"`
}

// Driver is the program, with the kinds of failures that it knows.
type Driver struct {
	Name           string `json:"name"`
	Version        string `json:"semanticVersion,omitempty"`
	InformationURI string `json:"informationUri"`
	Rules          []Rule `json:"rules"`
}

// Rule is a kind of failure.
type Rule struct {
	ID                   string        `json:"id"`
	ShortDescription     Message       `json:"shortDescription"`
	HelpURI              string        `json:"helpUri"`
	DefaultConfiguration Configuration `json:"defaultConfiguration"`
}

// Configuration says how severe a rule is.
type Configuration struct {
	Level string `json:"level"`
}

// Invocation says how the run ended.
type Invocation struct {
	ExecutionSuccessful bool `json:"executionSuccessful"`
}

// Message is a text. Links to related locations are in it as [text](id).
type Message struct {
	Text string `json:"text"`
}

// Result is a failure.
type Result struct {
	RuleID              string            `json:"ruleId"`
	RuleIndex           int               `json:"ruleIndex"`
	Level               string            `json:"level"`
	Message             Message           `json:"message"`
	Locations           []Location        `json:"locations,omitempty"`
	RelatedLocations    []Location        `json:"relatedLocations,omitempty"`
	Stacks              []Stack           `json:"stacks,omitempty"`
	CodeFlows           []CodeFlow        `json:"codeFlows,omitempty"`
	PartialFingerprints map[string]string `json:"partialFingerprints"`
	Properties          Properties        `json:"properties"`
}

// Properties is what the standard has no fields for.
type Properties struct {
	Bug         string `json:"bug"`
	Test        string `json:"test"`
	Package     string `json:"package"`
	Preemptions int    `json:"preemptions"`
	Replay      string `json:"replay"`
	Command     string `json:"command"`
	Saved       string `json:"saved,omitempty"`
}

// Location is a place in the source. Its ID is for links, from 1; without, it is left out.
type Location struct {
	ID               int               `json:"id,omitempty"`
	PhysicalLocation *PhysicalLocation `json:"physicalLocation,omitempty"`
	LogicalLocations []LogicalLocation `json:"logicalLocations,omitempty"`
	Message          *Message          `json:"message,omitempty"`
}

// PhysicalLocation is a line of a file.
type PhysicalLocation struct {
	ArtifactLocation ArtifactLocation `json:"artifactLocation"`
	Region           Region           `json:"region"`
}

// ArtifactLocation is a file, or a folder.
type ArtifactLocation struct {
	URI       string `json:"uri"`
	URIBaseID string `json:"uriBaseId,omitempty"`
}

// Region is a line.
type Region struct {
	StartLine int      `json:"startLine"`
	Snippet   *Message `json:"snippet,omitempty"`
}

// LogicalLocation is a function.
type LogicalLocation struct {
	FullyQualifiedName string `json:"fullyQualifiedName"`
	Kind               string `json:"kind"`
}

// Stack is calls, the innermost one first.
type Stack struct {
	Message Message      `json:"message"`
	Frames  []StackFrame `json:"frames"`
}

// StackFrame is a call.
type StackFrame struct {
	Location Location `json:"location"`
}

// CodeFlow is the schedule.
type CodeFlow struct {
	Message     Message      `json:"message"`
	ThreadFlows []ThreadFlow `json:"threadFlows"`
}

// ThreadFlow is the steps of a goroutine.
type ThreadFlow struct {
	ID        string               `json:"id"`
	Message   Message              `json:"message"`
	Locations []ThreadFlowLocation `json:"locations"`
}

// ThreadFlowLocation is a step. The steps of all goroutines come in the order of ExecutionOrder.
type ThreadFlowLocation struct {
	Location       Location `json:"location"`
	ExecutionOrder int      `json:"executionOrder"`
	Importance     string   `json:"importance"`
}
