// A service whose users each have a session of their own at another server, with one manager for each user.
import Foundation
import HttpC
import Hummingbird

let backend = CommandLine.arguments[1]  // such as https://erp.example.com

struct Login: Codable { var name, password: String }

/// The users who are logged in here, with their sessions at the other server.
actor Users {
    private var managers: [String: HttpConversationManager] = [:]

    /// The value of the user's new cookie; nil if the other server refuses the login.
    func logIn(_ login: Login) async throws -> String? {
        // A configurator and its cookies belong to one user.
        let configurator = CommonAuthenticationConfigurator.password(login.name, login.password, for: backend)
        let manager = HttpConversationManager(configurator)
        guard try await manager.get("\(backend)/basic/realm1/home").status == .ok else { return nil }
        _ = try await manager.get("\(backend)/cookies/set?line=customer=\(login.name)")
        let id = UUID().uuidString
        managers[id] = manager
        return id
    }

    func manager(of request: Request) throws -> HttpConversationManager {
        guard let id = request.cookies["id"]?.value, let manager = managers[id] else { throw HTTPError(.unauthorized) }
        return manager
    }

    func logOut(_ request: Request) { request.cookies["id"].map { managers[$0.value] = nil } }
}

let users = Users()
let router = Router()
router.post("login") { request, context in
    guard let id = try await users.logIn(request.decode(as: Login.self, context: context)) else {
        throw HTTPError(.unauthorized)
    }
    return Response(status: .noContent, headers: [.setCookie: "id=\(id); Path=/; HttpOnly; SameSite=Strict"])
}
router.get("cookies") { request, _ in
    try await users.manager(of: request).get("\(backend)/cookies/echo").successful().text
}
router.post("logout") { request, _ in
    await users.logOut(request)
    return HTTPResponse.Status.noContent
}

// From here on: two users of the service at the same time.
func visit(_ service: String, _ name: String, _ password: String) async throws -> Set<String> {
    let browser = HttpConversationManager()
    _ = try await browser.post("\(service)/login", .json(Login(name: name, password: password))).successful()
    var pages: Set<String> = []
    for _ in 0..<20 { pages.insert(try await browser.get("\(service)/cookies").successful().text) }
    _ = try await browser.post("\(service)/logout", .text("")).successful()
    pages.insert("\(try await browser.get("\(service)/cookies").status.code)")
    return pages
}

let (ports, port) = AsyncStream<Int>.makeStream()
let service = Application(
    router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
    onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) })
let running = Task { try await service.runService() }
for await port in ports {
    async let alice = visit("http://127.0.0.1:\(port)", "alice", "wonderland")
    async let bob = visit("http://127.0.0.1:\(port)", "bob", "builder's \"secret\"")
    print("alice sees", try await alice.sorted(), "and bob", try await bob.sorted())
    break
}
running.cancel()
