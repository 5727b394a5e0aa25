// A service whose users each have a session of their own at another server, with one manager for each user.
import Foundation
import HttpC
import Hummingbird

let backend = CommandLine.arguments[1]  // such as https://erp.example.com

struct Login: Codable { var name, password: String }

/// The logins of this service's users at the other server, by the value of their cookie here.
actor Logins {
    private var logins: [String: Login] = [:]

    func add(_ login: Login) -> String {
        let id = UUID().uuidString
        logins[id] = login
        return id
    }

    func login(_ id: String) throws -> Login {
        guard let login = logins[id] else { throw HTTPError(.unauthorized) }
        return login
    }

    func remove(_ id: String) { logins[id] = nil }
}

let logins = Logins()
let users = UserSessions<String> { id in
    let login = try await logins.login(id)
    return .init(applying: [.password(login.name, login.password, for: backend)])
}

func id(of request: Request) throws -> String {
    guard let id = request.cookies["id"]?.value else { throw HTTPError(.unauthorized) }
    return id
}

let router = Router()
router.post("login") { request, context in
    let login = try await request.decode(as: Login.self, context: context)
    let id = await logins.add(login)
    do {
        let manager = try await users.manager(of: id)
        let home = try await manager.get("\(backend)/basic/realm1/home")
        guard home.status == .ok else { throw HTTPError(.unauthorized) }
        let name = login.name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        _ = try await manager.get("\(backend)/cookies/set?line=customer=\(name)")
    } catch {
        await logins.remove(id)
        users.remove(id)
        throw error
    }
    return Response(status: .noContent, headers: [.setCookie: "id=\(id); Path=/; HttpOnly; SameSite=Strict"])
}
router.get("cookies") { request, _ in
    try await users.manager(of: id(of: request)).get("\(backend)/cookies/echo").successful().text
}
router.post("logout") { request, _ in
    let id = try id(of: request)
    await logins.remove(id)
    users.remove(id)
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
