// Gets a page that requires a password.
import HttpC

let server = CommandLine.arguments[1]  // such as https://example.com

let manager = HttpConversationManager(.password("alice", "wonderland", for: server))
print(try await manager.get("\(server)/basic/realm1/private.json").text)
