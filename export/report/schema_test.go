package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/corpus"
	"assay/corpus/retrieval"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// forms are what --json prints, with their schemas.
var forms = []struct {
	name   string
	schema []byte
	typ    reflect.Type
	mark   string // what field assay says
}{
	{"check", CheckSchema(), reflect.TypeFor[retrieval.Report](), "check"},
	{"comparison", ComparisonSchema(), reflect.TypeFor[retrieval.Comparison](), "compare"},
}

func compiled(t *testing.T, schema []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft4) // another than the schema names, so that $schema has to say
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if s.DraftVersion != 2020 {
		t.Fatalf("the schema is read as draft %d", s.DraftVersion)
	}
	return s
}

func instance(t *testing.T, v any) any {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// fill sets every field below v, so that nothing is left out as empty. Slices get two elements, where they differ.
func fill(v reflect.Value, field string, n int) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), v.Type().Field(i).Name, n)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), field, n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), field, n)
		fill(v.Index(1), field, n+1)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		elem := reflect.New(v.Type().Elem()).Elem()
		v.SetMapIndex(reflect.ValueOf("undefined"), elem)
		elem = reflect.New(v.Type().Elem()).Elem()
		fill(elem, field, n)
		v.SetMapIndex(reflect.ValueOf("R@5"), elem)
	case reflect.String:
		values := []string{field + " one", field + " two"}
		switch v.Interface().(type) {
		case retrieval.Why:
			values = []string{string(retrieval.WhyUnanswerable), string(retrieval.WhyUnfinished), string(retrieval.WhyNoRelevant)}
		case retrieval.Verdict:
			values = []string{string(retrieval.Pass), string(retrieval.Fail), string(retrieval.Unclear)}
		}
		v.SetString(values[n%len(values)])
	case reflect.Float64:
		v.SetFloat(0.25 + float64(n)/100)
	case reflect.Int:
		if v.Type() == reflect.TypeFor[corpus.Grade]() && n%2 == 1 {
			v.SetInt(int64(corpus.CannotJudge))
			return
		}
		v.SetInt(int64(1 + n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint64:
		v.SetUint(1<<63 + 1)
	default:
		panic(fmt.Sprintf("%s has a kind that no field had: %s", field, v.Kind()))
	}
}

// filled is a value of a form with every field set; minimal is one with no more than its schema demands.
func filled(typ reflect.Type, mark string) any {
	v := reflect.New(typ).Elem()
	fill(v, "", 0)
	v.FieldByName("Assay").SetString(mark)
	v.FieldByName("Version").SetInt(1)
	return v.Interface()
}

func minimal(typ reflect.Type, mark string) any {
	v := reflect.New(typ).Elem()
	for i := range typ.NumField() {
		name, optional := jsonName(typ.Field(i))
		if f := v.Field(i); name != "" && !optional && f.Kind() == reflect.Slice {
			f.Set(reflect.MakeSlice(f.Type(), 0, 0))
		}
	}
	v.FieldByName("Assay").SetString(mark)
	v.FieldByName("Version").SetInt(1)
	return v.Interface()
}

func TestSchemasHoldWhatIsPrinted(t *testing.T) {
	for _, f := range forms {
		s := compiled(t, f.schema)
		for name, v := range map[string]any{"filled": filled(f.typ, f.mark), "minimal": minimal(f.typ, f.mark)} {
			if err := s.Validate(instance(t, v)); err != nil {
				t.Errorf("%s, %s: %v", f.name, name, err)
			}
		}
	}
}

// TestSchemasHoldMeasurements validates what measuring gives, with all that it can be asked for and with nothing.
func TestSchemasHoldMeasurements(t *testing.T) {
	measures, err := retrieval.ParseMeasures(retrieval.DefaultMeasures)
	if err != nil {
		t.Fatal(err)
	}
	full := retrieval.Input{
		Run: corpus.Run{Name: "bm25", Rankings: map[string]corpus.Ranking{
			"q1": {{ChunkID: "a", Score: 2}, {ChunkID: "b", Score: 1}, {ChunkID: "b", Score: 0.5}}, "q2": {{ChunkID: "c", Score: 1}}, "q4": {{ChunkID: "a", Score: 3}}, "stray": {{ChunkID: "c", Score: 1}},
		}},
		Queries: []retrieval.Query{
			{ID: "q1", Done: true, Grades: map[string]corpus.Grade{"a": 1, "gone": 2}, Tags: []string{"identifier"}, Language: "en", Count: 12},
			{ID: "q2", Done: true, Unanswerable: true, Grades: map[string]corpus.Grade{"c": 0}},
			{ID: "q3", Grades: map[string]corpus.Grade{"c": 1}},
			{ID: "q4", Done: true, Unanswerable: true, Grades: map[string]corpus.Grade{"b": 1}},
			{ID: "q5", Done: true, NoText: true, Grades: map[string]corpus.Grade{"b": 1}},
		},
		InCorpus: func(id string) bool { return id != "gone" }, Best: 2, Failed: map[string]string{"q5": "503"}, Latency: map[string]time.Duration{"q1": time.Millisecond},
		Resamples: 100, Seed: 7, By: retrieval.Facets(), Limits: ptr(retrieval.DefaultLimits()), Scorer: "bm25", Labels: "aaaa", Corpus: "bbbb", Scale: "graded", Program: "assay",
	}
	var reports []retrieval.Report
	for name, in := range map[string]retrieval.Input{"full": full, "nothing": {}} {
		r, err := retrieval.Evaluate(in, measures)
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled(t, CheckSchema()).Validate(instance(t, r)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name == "full" {
			reports = append(reports, r)
			in.Run.Name, in.Run.Rankings = "none", nil
			r, err := retrieval.Evaluate(in, measures)
			if err != nil {
				t.Fatal(err)
			}
			reports = append(reports, r)
		}
	}
	c, err := retrieval.Compare(reports, retrieval.CompareOptions{Resamples: 100, Alpha: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled(t, ComparisonSchema()).Validate(instance(t, c)); err != nil {
		t.Errorf("comparison: %v", err)
	}
}

// TestSchemasRefuse tries what must not pass, so that the tests above can fail.
func TestSchemasRefuse(t *testing.T) {
	for _, f := range forms {
		s := compiled(t, f.schema)
		good := instance(t, filled(f.typ, f.mark)).(map[string]any)
		refused := 0
		each(good, func(path string, object map[string]any) {
			object["not a field"] = true
			if s.Validate(good) == nil && !strings.HasSuffix(path, ".values") { // values have names of their own
				t.Errorf("%s: an unknown field of %s passes", f.name, path)
			}
			delete(object, "not a field")
			refused++
		})
		if refused < 5 {
			t.Errorf("%s: only %d objects were tried", f.name, refused)
		}
		for name, change := range map[string]func(map[string]any){
			"another mark":    func(m map[string]any) { m["assay"] = "gold" },
			"another version": func(m map[string]any) { m["version"] = json.Number("2") },
			"no version":      func(m map[string]any) { delete(m, "version") },
			"no corpus":       func(m map[string]any) { delete(m, "corpus") },
			"null for a list": func(m map[string]any) { m["warnings"] = nil },
		} {
			bad := maps.Clone(good)
			change(bad)
			if s.Validate(bad) == nil {
				t.Errorf("%s: %s passes", f.name, name)
			}
		}
		if err := s.Validate(good); err != nil {
			t.Errorf("%s: the trials left something behind: %v", f.name, err)
		}
	}
}

// each visits every object below v.
func each(v any, visit func(path string, object map[string]any)) {
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				walk(path+"."+key, v[key])
			}
			visit(path, v)
		case []any:
			for _, e := range v {
				walk(path, e)
			}
		}
	}
	walk("", v)
}

// TestSchemasSayEveryField holds schema and types together: each field of the types, recursively, is in the schema with
// a description, and the schema has no other; what is left out where it is empty is optional, the rest required.
func TestSchemasSayEveryField(t *testing.T) {
	for _, f := range forms {
		var root map[string]any
		if err := json.Unmarshal(f.schema, &root); err != nil {
			t.Fatal(err)
		}
		h := holder{t: t, defs: root["$defs"].(map[string]any), used: map[string]bool{}}
		h.object(f.name, root, f.typ)
		for name := range h.defs {
			if !h.used[name] {
				t.Errorf("%s: nothing refers to $defs/%s", f.name, name)
			}
		}
		if h.fields < 30 {
			t.Errorf("%s: only %d fields were compared", f.name, h.fields)
		}
	}
}

type holder struct {
	t      *testing.T
	defs   map[string]any
	used   map[string]bool
	fields int
}

func (h *holder) object(path string, schema map[string]any, typ reflect.Type) {
	h.t.Helper()
	if schema["additionalProperties"] != false {
		h.t.Errorf("%s: allows other fields", path)
	}
	properties, _ := schema["properties"].(map[string]any)
	required := map[string]bool{}
	for _, name := range schema["required"].([]any) {
		required[name.(string)] = true
	}
	seen := map[string]bool{}
	for i := range typ.NumField() {
		name, optional := jsonName(typ.Field(i))
		if name == "" {
			continue
		}
		seen[name] = true
		at := path + "." + name
		p, ok := properties[name].(map[string]any)
		if !ok {
			h.t.Errorf("%s: not in the schema", at)
			continue
		}
		h.fields++
		if d, _ := p["description"].(string); len(d) < 8 || !strings.HasSuffix(d, ".") {
			h.t.Errorf("%s: description %q is no sentence", at, d)
		}
		if required[name] == optional {
			h.t.Errorf("%s: required is %t, left out where empty is %t", at, required[name], optional)
		}
		h.value(at, p, typ.Field(i).Type, optional)
	}
	for name := range properties {
		if !seen[name] {
			h.t.Errorf("%s.%s: in the schema, not in the type", path, name)
		}
	}
}

// value compares a schema with the type of a field. A pointer that is not left out is null where it is nil.
func (h *holder) value(path string, schema map[string]any, typ reflect.Type, optional bool) {
	h.t.Helper()
	null := typ.Kind() == reflect.Pointer && !optional
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	inner, nullable := h.resolve(schema)
	if nullable != null {
		h.t.Errorf("%s: may be null is %t, want %t", path, nullable, null)
	}
	want := map[reflect.Kind]string{reflect.String: "string", reflect.Float64: "number", reflect.Int: "integer", reflect.Uint64: "integer", reflect.Bool: "boolean"}[typ.Kind()]
	switch typ.Kind() {
	case reflect.Struct:
		h.object(path, inner, typ)
	case reflect.Slice:
		if inner["type"] != "array" {
			h.t.Errorf("%s: is %v, want an array", path, inner["type"])
			return
		}
		h.value(path+"[]", inner["items"].(map[string]any), typ.Elem(), true)
	case reflect.Map:
		h.value(path+"{}", inner["additionalProperties"].(map[string]any), typ.Elem(), false)
	default:
		if inner["enum"] == nil && inner["const"] == nil && inner["type"] != want && typ != reflect.TypeFor[corpus.Grade]() {
			h.t.Errorf("%s: is %v, want %s", path, inner["type"], want)
		}
	}
}

// resolve follows references and takes null apart.
func (h *holder) resolve(schema map[string]any) (inner map[string]any, nullable bool) {
	if ref, ok := schema["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/$defs/")
		h.used[name] = true
		return h.resolve(h.defs[name].(map[string]any))
	}
	if list, ok := schema["anyOf"].([]any); ok && len(list) == 2 && list[1].(map[string]any)["type"] == "null" {
		inner, _ := h.resolve(list[0].(map[string]any))
		return inner, true
	}
	if types, ok := schema["type"].([]any); ok && len(types) == 2 && types[1] == "null" {
		return map[string]any{"type": types[0]}, true
	}
	return schema, false
}

// jsonName is a field's name in JSON, "" where it has none.
func jsonName(f reflect.StructField) (name string, optional bool) {
	tag := f.Tag.Get("json")
	if !f.IsExported() || tag == "-" {
		return "", false
	}
	name, rest, _ := strings.Cut(tag, ",")
	if name == "" {
		name = f.Name
	}
	return name, strings.Contains(rest, "omitempty") || strings.Contains(rest, "omitzero")
}

// TestSchemasAreCopies keeps a caller from changing what the next one gets.
func TestSchemasAreCopies(t *testing.T) {
	CheckSchema()[0], ComparisonSchema()[0] = 'x', 'x'
	if CheckSchema()[0] != '{' || ComparisonSchema()[0] != '{' {
		t.Error("a caller changed a schema for all")
	}
}
