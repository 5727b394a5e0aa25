// Sends a password to a server that never asks for one.
import HttpC

let server = CommandLine.arguments[1]  // such as https://example.com

let manager = HttpConversationManager(.password("alice", "wonderland", for: server, sentAhead: true))
print(try await manager.get("\(server)/echo").text)
