// Logs in by OAuth2 with an authorization code, and uses the tokens for a log-out button.
import HttpC

let server = CommandLine.arguments[1]  // such as https://api.example.com

var login = CommonAuthenticationConfigurator.oauth2(
    issuer: "\(server)/oauth2", clientID: "native", for: server)
let tokens = login.tokenManager  // also sees later settings
login.webStrategies = .terminal  // the default is the system's browser

let manager = HttpConversationManager(login)
print(try await manager.get("\(server)/api/orders").text)
print("logged in until", try await tokens.tokens(for: server)?.expiresAt?.description ?? "-")
try await tokens.logOut(from: server, using: manager)
