package dynamo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/listward/listward/pkg/keys"
)

// batchSize is the items that DynamoDB returns to one BatchGetItem.
const batchSize = 100

// update is a change of one item, with the condition on which it takes place.
type update struct {
	expression, condition string
	values                item
}

func pause(ctx context.Context, limit time.Duration) error {
	timer := time.NewTimer(rand.N(limit))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// retry runs an operation until it is not ErrBusy, at most tries times.
func (s *Store) retry(ctx context.Context, operation func() error) error {
	limit := firstPause
	for range tries - 1 {
		if err := operation(); !errors.Is(err, ErrBusy) {
			return err
		}
		if err := s.Pause(ctx, limit); err != nil {
			return err
		}
		limit = min(2*limit, maxPause)
	}
	return operation()
}

// get reads an item as all writes before it left it; nil when there is none.
func (s *Store) get(ctx context.Context, pk string) (item, error) {
	out, err := s.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.table, Key: item{"pk": text(pk)}, ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return nil, err
	}
	return out.Item, nil
}

// update updates one item and returns it as it is then. Meeting a transaction it
// begins anew, since then it has changed nothing.
func (s *Store) update(ctx context.Context, pk string, u update, options ...func(*dynamodb.Options)) (after item, err error) {
	err = s.retry(ctx, func() error {
		out, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName:                           &s.table,
			Key:                                 item{"pk": text(pk)},
			UpdateExpression:                    &u.expression,
			ConditionExpression:                 &u.condition,
			ExpressionAttributeValues:           u.values,
			ReturnValues:                        types.ReturnValueAllNew,
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}, options...)
		var conflict *types.TransactionConflictException
		if errors.As(err, &conflict) {
			return fmt.Errorf("%w: %w", ErrBusy, err)
		}
		if err == nil {
			after = out.Attributes
		}
		return err
	})
	return after, err
}

// once turns off the SDK's retries.
func once(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }

// batch reads the items of at most batchSize keys, by pk. DynamoDB may leave some
// of them for another request.
func (s *Store) batch(ctx context.Context, hashes []keys.Hash) (map[string]item, error) {
	wanted := types.KeysAndAttributes{ConsistentRead: aws.Bool(true)}
	for _, h := range hashes {
		wanted.Keys = append(wanted.Keys, item{"pk": text(keyPK(h))})
	}
	items := make(map[string]item)
	err := s.retry(ctx, func() error {
		out, err := s.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
			RequestItems: map[string]types.KeysAndAttributes{s.table: wanted},
		})
		if err != nil {
			return err
		}
		for _, it := range out.Responses[s.table] {
			items[pkOf(it)] = it
		}
		if wanted = out.UnprocessedKeys[s.table]; len(wanted.Keys) > 0 {
			return ErrBusy
		}
		return nil
	})
	return items, err
}

// write is one write of a transaction, with the error that it means when its
// condition does not hold.
type write struct {
	types.TransactWriteItem
	refusal error
}

// put writes an item that must not be there yet.
func (s *Store) put(it item, refusal error) write {
	return write{types.TransactWriteItem{Put: &types.Put{
		TableName: &s.table, Item: it, ConditionExpression: aws.String("attribute_not_exists(pk)"),
	}}, refusal}
}

// set updates an item.
func (s *Store) set(pk string, u update, refusal error) write {
	return write{types.TransactWriteItem{Update: &types.Update{
		TableName:                 &s.table,
		Key:                       item{"pk": text(pk)},
		UpdateExpression:          &u.expression,
		ConditionExpression:       &u.condition,
		ExpressionAttributeValues: u.values,
	}}, refusal}
}

// remove deletes an item, if it is there.
func (s *Store) remove(pk string) write {
	return write{types.TransactWriteItem{Delete: &types.Delete{TableName: &s.table, Key: item{"pk": text(pk)}}}, ErrBusy}
}

// removeAccount deletes an account unless it has changed since it was read.
func (s *Store) removeAccount(a account) write {
	w := s.remove(accountPK(a.ID))
	w.Delete.ConditionExpression = aws.String("version = :version")
	w.Delete.ExpressionAttributeValues = item{":version": number(a.version)}
	return w
}

// transact makes all writes or none. The SDK may retry it: it sends a token by
// which DynamoDB knows a transaction that it has made already.
func (s *Store) transact(ctx context.Context, writes ...write) error {
	in := &dynamodb.TransactWriteItemsInput{}
	for _, w := range writes {
		in.TransactItems = append(in.TransactItems, w.TransactWriteItem)
	}
	_, err := s.client.TransactWriteItems(ctx, in)
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) || len(cancelled.CancellationReasons) != len(writes) {
		return err
	}
	for i, reason := range cancelled.CancellationReasons {
		switch aws.ToString(reason.Code) {
		case "ConditionalCheckFailed":
			return writes[i].refusal
		case "TransactionConflict":
			return fmt.Errorf("%w: %w", ErrBusy, err)
		}
	}
	return err
}
