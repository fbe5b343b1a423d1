// A client made with a2a-go 2, which speaks 1.0, and 0.3 by its compatibility layer: URL of the agent, transport, the text to send, a file. Says what it has seen as JSON.
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

type seen struct {
	ID     string   `json:"id"`
	State  string   `json:"state"`
	Text   string   `json:"text"`
	Files  []string `json:"files"`
	Answer string   `json:"answer,omitempty"`
	Asked  string   `json:"asked,omitempty"`
	Same   bool     `json:"same,omitempty"`
}

// The names of 0.3.
func name(state a2a.TaskState) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(string(state), "TASK_STATE_")), "_", "-")
}

func (s *seen) parts(parts []*a2a.Part) {
	for _, part := range parts {
		if part.Raw() != nil {
			s.Files = append(s.Files, base64.StdEncoding.EncodeToString(part.Raw()))
		} else {
			s.Text += part.Text()
		}
	}
}

func (s *seen) event(event any) {
	switch event := event.(type) {
	case *a2a.Task:
		s.ID, s.State, s.Text, s.Files = string(event.ID), name(event.Status.State), "", nil
		for _, artifact := range event.Artifacts {
			s.parts(artifact.Parts)
		}
	case *a2a.TaskStatusUpdateEvent:
		s.State = name(event.Status.State)
	case *a2a.TaskArtifactUpdateEvent:
		s.parts(event.Artifact.Parts)
	}
}

func (s *seen) read(events iter.Seq2[a2a.Event, error], until func() bool) error {
	for event, err := range events {
		if err != nil {
			return err
		}
		s.event(event)
		if until != nil && until() {
			break
		}
	}
	return nil
}

func message(text, file string, task *a2a.Task) *a2a.SendMessageRequest {
	parts := []*a2a.Part{a2a.NewTextPart(text)}
	if file != "" {
		raw, err := base64.StdEncoding.DecodeString(file)
		if err != nil {
			panic(err)
		}
		part := a2a.NewRawPart(raw)
		part.Filename, part.MediaType = "a.bin", "application/x-a"
		parts = append(parts, part)
	}
	if task != nil {
		return &a2a.SendMessageRequest{Message: a2a.NewMessageForTask(a2a.MessageRoleUser, task, parts...)}
	}
	return &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, parts...)}
}

type peer struct {
	client *a2aclient.Client
	text   string
	file   string
}

func (p *peer) send(ctx context.Context, params *a2a.SendMessageRequest) (*seen, error) {
	result, err := p.client.SendMessage(ctx, params)
	if err != nil {
		return nil, err
	}
	s := &seen{}
	s.event(result)
	return s, nil
}

func (p *peer) stream(ctx context.Context, params *a2a.SendMessageRequest) (*seen, error) {
	s := &seen{}
	return s, s.read(p.client.SendStreamingMessage(ctx, params), nil)
}

func (p *peer) get(ctx context.Context, id string) (*seen, error) {
	task, err := p.client.GetTask(ctx, &a2a.GetTaskRequest{ID: a2a.TaskID(id)})
	if err != nil {
		return nil, err
	}
	s := &seen{}
	s.event(task)
	return s, nil
}

func (p *peer) followUp(ctx context.Context) (*seen, error) {
	asked, err := p.send(ctx, message("ask", "", nil))
	if err != nil {
		return nil, err
	}
	task, err := p.client.GetTask(ctx, &a2a.GetTaskRequest{ID: a2a.TaskID(asked.ID)})
	if err != nil {
		return nil, err
	}
	done, err := p.stream(ctx, message(p.text, "", task))
	if done != nil {
		done.Asked, done.Same = asked.State, done.ID == asked.ID
	}
	return done, err
}

func (p *peer) cancel(ctx context.Context) (*seen, error) {
	s, answer := &seen{}, ""
	for event, err := range p.client.SendStreamingMessage(ctx, message("slow", "", nil)) {
		if err != nil {
			return nil, err
		}
		s.event(event)
		if s.Text == "" || answer != "" {
			continue
		}
		task, err := p.client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: a2a.TaskID(s.ID)})
		if err != nil {
			return nil, err
		}
		answer = name(task.Status.State)
	}
	s.Answer = answer
	return s, nil
}

func (p *peer) resubscribe(ctx context.Context) (*seen, error) {
	before := &seen{}
	events := p.client.SendStreamingMessage(ctx, message("slow", "", nil))
	if err := before.read(events, func() bool { return before.Text != "" }); err != nil {
		return nil, err
	}
	s, answer := &seen{}, ""
	for event, err := range p.client.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: a2a.TaskID(before.ID)}) {
		if err != nil {
			return nil, err
		}
		s.event(event)
		if answer != "" {
			continue
		}
		task, err := p.client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: a2a.TaskID(before.ID)})
		if err != nil {
			return nil, err
		}
		answer = name(task.Status.State)
	}
	s.Answer = answer
	return s, nil
}

func main() {
	url, transport := os.Args[1], a2a.TransportProtocol(os.Args[2])
	ctx := context.Background()
	resolver := agentcard.NewResolver(http.DefaultClient)
	if !strings.Contains(url, "/a2a-1.0/") {
		resolver.CardParser = a2av0.NewAgentCardParser()
	}
	card, err := resolver.Resolve(ctx, url)
	if err != nil {
		panic(err)
	}
	client, err := a2aclient.NewFromCard(ctx, card,
		a2aclient.WithConfig(a2aclient.Config{PreferredTransports: []a2a.TransportProtocol{transport}}),
		a2aclient.WithCompatTransport(a2av0.Version, a2a.TransportProtocolJSONRPC, a2av0.NewJSONRPCTransportFactory(a2av0.JSONRPCTransportConfig{})),
		a2aclient.WithCompatTransport(a2av0.Version, a2a.TransportProtocolHTTPJSON, a2av0.NewRESTTransportFactory(a2av0.RESTTransportConfig{})),
		a2agrpc.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials())))
	if err != nil {
		panic(err)
	}
	p := &peer{client, os.Args[3], os.Args[4]}
	said := map[string]any{"card": card.Name}
	step := func(name string, run func(context.Context) (*seen, error)) {
		limited, cancel := context.WithTimeout(ctx, 15*time.Second)
		defer cancel()
		result, err := run(limited)
		if err != nil {
			said[name] = map[string]string{"raised": err.Error()}
		} else {
			said[name] = result
		}
	}
	step("send", func(ctx context.Context) (*seen, error) { return p.send(ctx, message(p.text, "", nil)) })
	step("stream", func(ctx context.Context) (*seen, error) { return p.stream(ctx, message(p.text, "", nil)) })
	step("get", func(ctx context.Context) (*seen, error) {
		sent, err := p.send(ctx, message(p.text, "", nil))
		if err != nil {
			return nil, err
		}
		return p.get(ctx, sent.ID)
	})
	step("followUp", p.followUp)
	step("cancel", p.cancel)
	step("resubscribe", p.resubscribe)
	step("error", func(ctx context.Context) (*seen, error) { return p.stream(ctx, message("throw", "", nil)) })
	step("unknown", func(ctx context.Context) (*seen, error) { return p.get(ctx, "no-such-task") })
	step("files", func(ctx context.Context) (*seen, error) { return p.stream(ctx, message("file", p.file, nil)) })
	line, _ := json.Marshal(said)
	fmt.Println(string(line))
}
