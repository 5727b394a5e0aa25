// A page behind a password.
import HttpC

let server = CommandLine.arguments[1]  // such as https://example.com

var login = CommonAuthenticationConfigurator()
login.add(StaticCredentialProvider(username: "alice", password: "wonderland"))
let manager = HttpConversationManager()
manager.update { $0.apply(login) }
print(try await manager.data(for: HTTPRequest(.get, "\(server)/basic/realm1/private.json")).text)
