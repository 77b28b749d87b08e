package contract_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/listward/listward/pkg/contract"
)

type object = map[string]any

// document is the OpenAPI document as plain JSON.
type document struct {
	testing.TB
	root object
}

func read(t testing.TB) document {
	t.Helper()
	d := document{t, object{}}
	if err := json.Unmarshal(contract.OpenAPI(), &d.root); err != nil {
		t.Fatal(err)
	}
	return d
}

// at returns the object at a way of keys, and follows references on it. What is not
// there is an empty object.
func (d document) at(from any, way ...string) object {
	d.Helper()
	o := d.follow(from)
	for _, key := range way {
		o = d.follow(o[key])
	}
	return o
}

func (d document) follow(v any) object {
	d.Helper()
	o, _ := v.(object)
	ref, ok := o["$ref"].(string)
	if !ok {
		return o
	}
	way, ok := strings.CutPrefix(ref, "#/")
	target := d.at(d.root, strings.Split(way, "/")...)
	if !ok || len(target) == 0 {
		d.Fatalf("$ref %q leads nowhere", ref)
	}
	return target
}

// operation is one operation of the document.
type operation struct {
	id, method, path string
	object
}

// operations returns them in the order of path and method.
func (d document) operations() []operation {
	var all []operation
	paths := d.at(d.root, "paths")
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		methods := d.at(paths[path])
		for _, method := range slices.Sorted(maps.Keys(methods)) {
			o := d.at(methods[method])
			id, _ := o["operationId"].(string)
			all = append(all, operation{id, strings.ToUpper(method), path, o})
		}
	}
	if len(all) == 0 {
		d.Fatal("the document has no operation")
	}
	return all
}

// parameters returns the operation's parameters by name.
func (d document) parameters(o operation) map[string]object {
	all := map[string]object{}
	list, _ := o.object["parameters"].([]any)
	for _, item := range list {
		p := d.at(item)
		all[p["name"].(string)] = p
	}
	return all
}

// examples returns the values of the examples of a media type.
func (d document) examples(media object) []any {
	var all []any
	for _, example := range d.at(media["examples"]) {
		all = append(all, d.at(example)["value"])
	}
	return all
}

// errorCodes is the table of codes and their status.
func (d document) errorCodes() map[string]int {
	codes := map[string]int{}
	for code, status := range d.at(d.root, "x-error-codes") {
		codes[code] = int(status.(float64))
	}
	if len(codes) == 0 {
		d.Fatal("x-error-codes is empty")
	}
	return codes
}

func texts(v any) []string {
	list, _ := v.([]any)
	var all []string
	for _, item := range list {
		if text, ok := item.(string); ok {
			all = append(all, text)
		}
	}
	return all
}
