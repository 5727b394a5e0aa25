// SAML2 single sign-on that shows the login's pages as questions in the terminal.
import HttpC

let server = CommandLine.arguments[1]  // such as https://sp.example.com

var login = CommonAuthenticationConfigurator.saml2(
    finish: "/SAMLAuthLauncher", parameter: "finishEndpointParam", for: server)
login.webStrategies = .terminal

let manager = HttpConversationManager(login)
print(try await manager.get("\(server)/saml/post-post/report").text)
