package gateway

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
)

// methods are those for which ANY stands.
func methods() []string {
	return []string{"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"}
}

// routes are the resources of an API, the most specific first.
type routes []resource

// resource is a path of the API with its methods.
type resource struct {
	path     string
	segments []segment
	methods  map[string]method // by HTTP method or ANY
}

// method is the integration of a resource's method.
type method struct {
	function   target
	authorized bool
}

// match is a request's way to its function.
type match struct {
	method
	resource   string
	parameters map[string]string
}

// segment is a part of a resource's path.
type segment struct {
	rank rank
	text string // the literal, or the parameter's name
}

// rank orders segments that match the same text, the most specific first.
type rank byte

const (
	literal   rank = iota
	parameter      // {name}: one segment
	greedy         // {name+}: the rest of the path, at least one segment
)

// add adds the routes of a function.
func (all *routes) add(added []Route, function target) {
	for _, route := range added {
		i := slices.IndexFunc(*all, func(r resource) bool { return r.path == route.Path })
		if i < 0 {
			i = len(*all)
			*all = append(*all, resource{route.Path, segments(route.Path), map[string]method{}})
		}
		(*all)[i].methods[route.Method] = method{function, route.Authorized}
	}
}

func (all routes) sort() {
	slices.SortFunc(all, func(a, b resource) int {
		return slices.CompareFunc(a.segments, b.segments, func(x, y segment) int {
			return cmp.Compare(x.rank, y.rank)
		})
	})
}

// match finds the most specific resource of a path that is still
// percent-encoded. Only that one is asked for the method: a less specific one
// does not stand in.
func (all routes) match(httpMethod, path string) (match, bool) {
	for _, r := range all {
		parameters, ok := r.bind(strings.Split(strings.TrimPrefix(path, "/"), "/"))
		if !ok {
			continue
		}
		m, ok := r.methods[httpMethod]
		if !ok && slices.Contains(methods(), httpMethod) {
			m, ok = r.methods["ANY"]
		}
		return match{m, r.path, parameters}, ok
	}
	return match{}, false
}

// bind returns the parameters, decoded, if the path is one of the resource.
func (r resource) bind(path []string) (map[string]string, bool) {
	n := len(r.segments)
	if len(path) > n && r.segments[n-1].rank == greedy {
		path = append(path[:n-1:n-1], strings.Join(path[n-1:], "/"))
	}
	if len(path) != n {
		return nil, false
	}
	parameters := map[string]string{}
	for i, s := range r.segments {
		value, err := url.PathUnescape(path[i])
		switch {
		case err != nil, s.rank == literal && value != s.text, s.rank != literal && value == "":
			return nil, false
		case s.rank != literal:
			parameters[s.text] = value
		}
	}
	return parameters, true
}

func segments(path string) []segment {
	var all []segment
	for text := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		s := segment{literal, text}
		if name, ok := strings.CutPrefix(text, "{"); ok {
			s = segment{parameter, strings.TrimSuffix(name, "}")}
		}
		if name, ok := strings.CutSuffix(s.text, "+"); ok && s.rank == parameter {
			s = segment{greedy, name}
		}
		all = append(all, s)
	}
	return all
}
