// The agent of this profile with a2a-go 0.3, over JSON-RPC and gRPC.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2agrpc"
	"github.com/a2aproject/a2a-go/a2asrv"
	"github.com/a2aproject/a2a-go/a2asrv/eventqueue"
	"google.golang.org/grpc"
)

type executor struct{}

func (*executor) Execute(ctx context.Context, rc *a2asrv.RequestContext, q eventqueue.Queue) error {
	text, files := read(rc.Message)
	status := func(state a2a.TaskState, message *a2a.Message, final bool) error {
		event := a2a.NewStatusUpdateEvent(rc, state, message)
		event.Final = final
		return q.Write(ctx, event)
	}
	if text == "message" {
		return q.Write(ctx, a2a.NewMessage(a2a.MessageRoleAgent, a2a.TextPart{Text: "Just a word."}))
	}
	if rc.StoredTask == nil {
		if err := q.Write(ctx, a2a.NewSubmittedTask(rc, rc.Message)); err != nil {
			return err
		}
	}
	switch text {
	case "boom":
		return errors.New("out of paper")
	case "ask":
		question := a2a.NewMessageForTask(a2a.MessageRoleAgent, rc, a2a.TextPart{Text: "Which one?"})
		return status(a2a.TaskStateInputRequired, question, true)
	}
	if err := status(a2a.TaskStateWorking, nil, false); err != nil {
		return err
	}
	for _, event := range chunks(rc, text, files) {
		if err := q.Write(ctx, event); err != nil {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
	if text == "slow" {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Minute):
		}
	}
	return status(a2a.TaskStateCompleted, nil, true)
}

func (*executor) Cancel(ctx context.Context, rc *a2asrv.RequestContext, q eventqueue.Queue) error {
	event := a2a.NewStatusUpdateEvent(rc, a2a.TaskStateCanceled, nil)
	event.Final = true
	return q.Write(ctx, event)
}

func read(message *a2a.Message) (text string, files []a2a.Part) {
	for _, part := range message.Parts {
		switch part := part.(type) {
		case a2a.TextPart:
			text += part.Text
		case a2a.FilePart:
			files = append(files, part)
		}
	}
	return text, files
}

func chunks(rc *a2asrv.RequestContext, text string, files []a2a.Part) []*a2a.TaskArtifactUpdateEvent {
	if text == "slow" {
		return []*a2a.TaskArtifactUpdateEvent{a2a.NewArtifactEvent(rc, a2a.TextPart{Text: "slow "})}
	}
	if text == "file" {
		said := [][]string{}
		for _, part := range files {
			file := part.(a2a.FilePart).File.(a2a.FileBytes)
			said = append(said, []string{file.Name, file.MimeType, file.Bytes})
		}
		list, _ := json.Marshal(said)
		return []*a2a.TaskArtifactUpdateEvent{a2a.NewArtifactEvent(rc, append([]a2a.Part{a2a.TextPart{Text: string(list)}}, files...)...)}
	}
	events := []*a2a.TaskArtifactUpdateEvent{}
	for i, chunk := range strings.Split(text, "|") {
		part := a2a.TextPart{Text: chunk}
		if i == 0 {
			events = append(events, a2a.NewArtifactEvent(rc, part))
		} else {
			events = append(events, a2a.NewArtifactUpdateEvent(rc, events[0].Artifact.ID, part))
		}
	}
	events[len(events)-1].LastChunk = true
	return events
}

func card(url string, transport a2a.TransportProtocol) *a2a.AgentCard {
	return &a2a.AgentCard{
		Name: "Peer", Description: "Answers with what it is told.", Version: "1", ProtocolVersion: "0.3.0",
		URL: url, PreferredTransport: transport, Capabilities: a2a.AgentCapabilities{Streaming: true},
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"}, Skills: []a2a.AgentSkill{},
	}
}

func listen() net.Listener {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	return listener
}

func main() {
	overHTTP, overGRPC := listen(), listen()
	url, address := "http://"+overHTTP.Addr().String()+"/", overGRPC.Addr().String()

	server := grpc.NewServer()
	handler := a2asrv.NewHandler(&executor{}, a2asrv.WithExtendedAgentCard(card(address, a2a.TransportProtocolGRPC)))
	a2agrpc.NewHandler(handler).RegisterWith(server)
	go func() { panic(server.Serve(overGRPC)) }()

	mux := http.NewServeMux()
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(card(url, a2a.TransportProtocolJSONRPC)))
	mux.Handle("/", a2asrv.NewJSONRPCHandler(a2asrv.NewHandler(&executor{})))
	fmt.Printf("{\"JSONRPC\": %q, \"GRPC\": \"grpc://%s\"}\n", url, address)
	panic(http.Serve(overHTTP, mux))
}
