// Package stage runs the deployed service on one machine: the real bootstraps of
// functions, with the environment, memory and time-out that template.yaml gives
// them, on engines that speak the protocols of DynamoDB and S3. Use it for the
// end-to-end tests and for measuring cold starts; infra/local is the service for
// people, without bootstraps and engines.
package stage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/listward/listward/infra/engines"
	"github.com/listward/listward/infra/gateway"
	"github.com/listward/listward/infra/runtimeapi"
	"github.com/listward/listward/pkg/awsenv"
)

// ErrStage is returned when the stage cannot be set up.
var ErrStage = errors.New("set up the stage")

// The names that the template's resources have here.
const (
	Bucket = "lists"
	Table  = "keys"
)

// Stage is the deployed service and what it stands on.
type Stage struct {
	Template gateway.Template
	// Functions are the functions by folder.
	Functions map[string]*runtimeapi.Function
	S3        *engines.Engine
	DynamoDB  *engines.Engine

	beside   *beside
	record   bool
	recorder recorder
}

// Open builds the bootstraps of the repository at root for this machine and puts
// them on new engines, with their data and what they print in dir. The caller
// closes the stage. With record it notes what the functions call, see Calls, by a detour
// that takes time. Among the errors is engines.ErrUnavailable.
func Open(ctx context.Context, root, dir string, record bool) (*Stage, error) {
	s := &Stage{Functions: map[string]*runtimeapi.Function{}, record: record}
	if err := s.open(ctx, root, dir); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStage, errors.Join(err, s.Close()))
	}
	return s, nil
}

func (s *Stage) open(ctx context.Context, root, dir string) error {
	file, err := os.Open(filepath.Join(root, "template.yaml"))
	if err != nil {
		return err
	}
	defer file.Close() // read-only: nothing is lost
	if s.Template, err = gateway.ReadTemplate(file); err != nil {
		return err
	}
	for _, folder := range []string{"s3", "dynamodb"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
			return err
		}
	}
	if s.S3, err = engines.StartS3(ctx, filepath.Join(dir, "s3")); err != nil {
		return err
	}
	if s.DynamoDB, err = engines.StartDynamoDB(ctx, filepath.Join(dir, "dynamodb")); err != nil {
		return err
	}
	if s.beside, err = startBeside(); err != nil {
		return err
	}
	if err := s.makeResources(ctx); err != nil {
		return err
	}
	return s.addFunctions(ctx, root, dir)
}

// Getenv is the environment that Lambda gives the functions, for this process to
// work with the same stores.
func (s *Stage) Getenv(name string) string { return s.lambda()[name] }

// lambda is the part of a function's environment that is Lambda's.
func (s *Stage) lambda() map[string]string {
	return map[string]string{
		"AWS_REGION":                s.S3.Region,
		"AWS_ACCESS_KEY_ID":         s.S3.AccessKey,
		"AWS_SECRET_ACCESS_KEY":     s.S3.SecretKey,
		"AWS_ENDPOINT_URL_S3":       s.S3.Address,
		"AWS_ENDPOINT_URL_DYNAMODB": s.DynamoDB.Address,
		"AWS_ENDPOINT_URL_SSM":      s.beside.url,
	}
}

// Clients returns clients of the engines.
func (s *Stage) Clients() (*s3.Client, *dynamodb.Client, error) {
	config, err := awsenv.Config(s.Getenv)
	if err != nil {
		return nil, nil, err
	}
	return s3.NewFromConfig(config), dynamodb.NewFromConfig(config), nil
}

func (s *Stage) makeResources(ctx context.Context) error {
	buckets, tables, err := s.Clients()
	if err != nil {
		return err
	}
	if _, err := buckets.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: aws.String(Bucket)}); err != nil {
		return err
	}
	_, err = tables.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:            aws.String(Table),
		BillingMode:          types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
	})
	return err
}

func (s *Stage) addFunctions(ctx context.Context, root, dir string) error {
	log, err := os.OpenFile(filepath.Join(dir, "functions.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(s.Template.Functions)) {
		f := s.Template.Functions[id]
		environment, err := s.environment(f)
		if err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		if err := s.detour(f.Folder, environment); err != nil {
			return err
		}
		bootstrap := filepath.Join(dir, "dist", f.Folder, "bootstrap")
		if err := build(ctx, root, f.Folder, bootstrap); err != nil {
			return err
		}
		s.Functions[f.Folder] = &runtimeapi.Function{
			Name: id, Bootstrap: bootstrap, Memory: f.Memory, Environment: environment, Log: log,
		}
	}
	return nil
}

// detour leads a function's calls past the recorder, if there is to be one.
func (s *Stage) detour(folder string, environment map[string]string) error {
	if !s.record {
		return nil
	}
	address, err := s.recorder.listen(folder, s.S3.Address, s.DynamoDB.Address, s.beside.url)
	for _, service := range []string{"S3", "DYNAMODB", "SSM"} {
		environment["AWS_ENDPOINT_URL_"+service] = address
	}
	return err
}

// environment gives a function what the template says, with the resources of the
// stage in the place of the template's.
func (s *Stage) environment(f gateway.Function) (map[string]string, error) {
	environment := s.lambda()
	for name, value := range f.Environment {
		here, found := s.resources()[value]
		if !found {
			return nil, fmt.Errorf("environment variable %s is %s, for which there is nothing here", name, value)
		}
		environment[name] = here
	}
	return environment, nil
}

// resources has what stands here for what the template refers to.
func (s *Stage) resources() map[string]string {
	return map[string]string{
		"!Ref ListsBucket":                Bucket,
		"!Ref AWS::StackName":             "stage",
		"!Ref KeysTable":                  Table,
		"!Sub /${AWS::StackName}/account": parameterPath + "/account",
		"!Sub /${AWS::StackName}/embed":   parameterPath + "/embed",
		"!Sub /${AWS::StackName}/stripe":  parameterPath + "/stripe",
		"!GetAtt UserPool.ProviderURL":    s.beside.people.URL(),
		"!Sub https://${UserPoolDomain}.auth.${AWS::Region}.amazoncognito.com/logout": s.beside.url + "/logout",
	}
}

// build makes a bootstrap as `make build` does, for the processor of this machine.
func build(ctx context.Context, root, folder, to string) error {
	command := exec.CommandContext(ctx, "go", "build", "-tags", "lambda.norpc", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w", "-o", to, "./functions/"+folder)
	command.Dir = root
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w: %s", folder, err, out)
	}
	return nil
}

// Close ends all processes.
func (s *Stage) Close() error {
	for _, f := range s.Functions {
		f.Close()
	}
	s.recorder.close()
	var all []error
	if s.beside != nil {
		all = append(all, s.beside.server.Close())
	}
	for _, engine := range []*engines.Engine{s.S3, s.DynamoDB} {
		if engine != nil {
			all = append(all, engine.Stop())
		}
	}
	return errors.Join(all...)
}
