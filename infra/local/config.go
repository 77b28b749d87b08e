package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/listward/listward/pkg/billing"
	"github.com/listward/listward/pkg/fetch"
	"github.com/listward/listward/pkg/lists/sample"
)

// config is where the stack listens, reads and writes.
type config struct {
	// port is the TCP port on 127.0.0.1; 0 lets the system choose.
	port int
	// lists says where the lists come from: "sample", "official" or a folder.
	lists string
	// data is the folder of the stack's state.
	data string
	// acceptLoss is the SHA-256 of a file that an operator accepts although it lost
	// much.
	acceptLoss string
	// template is the path of template.yaml.
	template string
	// table is the DynamoDB table on which the operator's command works, empty for the
	// running stack.
	table string
	// stripe is how plans are paid. Without a key they are not.
	stripe billing.Config
}

const (
	sampleLists   = "sample"
	officialLists = "official"
)

var errConfig = errors.New("configuration")

// readConfig reads the environment. Without LISTS, the lists that the folder was
// last filled from are used again, and the sample in a new one.
func readConfig(getenv func(string) string) (config, error) {
	c := config{
		lists:      getenv("LISTS"),
		data:       cmp.Or(getenv("DATA"), ".local"),
		acceptLoss: strings.ToLower(getenv("ACCEPT")),
		template:   cmp.Or(getenv("TEMPLATE"), "template.yaml"),
		table:      getenv("TABLE"),
		stripe: billing.Config{
			Key: getenv("STRIPE_KEY"), Price: getenv("STRIPE_PRICE"), WebhookSecret: getenv("STRIPE_WEBHOOK_SECRET"), URL: getenv("STRIPE_URL"),
		},
	}
	if (c.stripe.Key == "") != (c.stripe.Price == "") {
		return config{}, fmt.Errorf("%w: STRIPE_KEY and STRIPE_PRICE are set together or not at all", errConfig)
	}
	var err error
	if c.port, err = strconv.Atoi(cmp.Or(getenv("PORT"), "8080")); err != nil || c.port < 0 || c.port > 65535 {
		return config{}, fmt.Errorf("%w: PORT=%q is not a port", errConfig, getenv("PORT"))
	}
	if sum, err := hex.DecodeString(c.acceptLoss); err != nil || len(sum) != 0 && len(sum) != sha256.Size {
		return config{}, fmt.Errorf("%w: ACCEPT=%s is no SHA-256, which has 64 hexadecimal digits", errConfig, c.acceptLoss)
	}
	switch c.lists {
	case "":
		c.lists, err = c.lastLists()
		return c, errors.Join(err, c.checkSocket())
	case sampleLists, officialLists:
		return c, c.checkSocket()
	}
	if c.lists, err = filepath.Abs(c.lists); err != nil {
		return config{}, fmt.Errorf("%w: LISTS: %w", errConfig, err)
	}
	if info, err := os.Stat(c.lists); err != nil || !info.IsDir() {
		return config{}, fmt.Errorf("%w: LISTS=%s is neither %q, %q nor a folder", errConfig, c.lists, sampleLists, officialLists)
	}
	return c, c.checkSocket()
}

// maxSocket is the length in bytes that the path of a socket may have on the
// systems that allow the least.
const maxSocket = 103

// checkSocket refuses a data folder too deep for its socket.
func (c config) checkSocket() error {
	if path := shortest(c.socket()); len(path) > maxSocket {
		return fmt.Errorf("%w: DATA=%s is too long for the socket in it, %d bytes of at most %d", errConfig, c.data, len(path), maxSocket)
	}
	return nil
}

// lastLists and rememberLists keep where the lists in the data folder are from.
func (c config) lastLists() (string, error) {
	text, err := os.ReadFile(c.listsFile())
	if errors.Is(err, fs.ErrNotExist) {
		return sampleLists, nil
	}
	return strings.TrimSpace(string(text)), err
}

func (c config) rememberLists() error {
	return os.WriteFile(c.listsFile(), []byte(c.lists+"\n"), 0o600)
}

func (c config) listsFile() string { return filepath.Join(c.data, "lists") }
func (c config) keyFile() string   { return filepath.Join(c.data, "demo-key") }
func (c config) keysFile() string  { return filepath.Join(c.data, "keys.db") }
func (c config) objects() string   { return filepath.Join(c.data, "objects") }
func (c config) socket() string    { return filepath.Join(c.data, "admin.sock") }

// origin is where the lists come from. The hook, if not nil, sees them arrive.
func (c config) origin(seen fetch.Progress) fetch.Origin {
	switch c.lists {
	case sampleLists:
		return fetch.Folder{FS: sample.Files(), Progress: seen}
	case officialLists:
		publishers := fetch.Publishers()
		publishers.Progress = seen
		return publishers
	}
	return fetch.Folder{FS: os.DirFS(c.lists), Progress: seen}
}
