import HTTPTypes
import HttpConversationTesting

@testable import HttpConversation

/// A server's ways to demand a step.
enum Demand: CaseIterable {
    case response, redirect, challenge
}

/// A server that demands a login until there was one, and a manager whose filter of each kind asks for a step then.
final class StepBench: Sendable {
    typealias Answer = ScriptedTransport.Answer
    typealias Work = @Sendable (StepBench, ConversationContext) async throws -> StepOutcome

    let demand: Demand
    /// The server's state: whether there was a login.
    let isLoggedIn = Box(false)
    /// The number of runs of the step.
    let runs = Box(0)
    /// Holds the step.
    let gate = Gate()
    /// Holds answers to requests with the field `X-Slow`, which were sent before the login.
    let wire = Gate()
    let session: HttpSession
    let manager: HttpConversationManager
    let step: ConversationStep<StepOutcome>

    var transport: ScriptedTransport? { manager.transport as? ScriptedTransport }
    var requests: [TransportRequest] { transport?.requests ?? [] }

    /// A step that logs in once the gate is open.
    convenience init(
        _ demand: Demand = .response, key: String = "login", policy: StepPolicy = .login,
        session: HttpSession = HttpSession(), covers: StepCoverage? = nil,
        change: (inout HttpConversationManager.Configuration) -> Void = { _ in }
    ) {
        self.init(demand, key: key, policy: policy, session: session, covers: covers, change: change) { bench, _ in
            bench.isLoggedIn.update { $0 = true }
            return .done
        }
    }

    /// - Parameter work: the step's work once the gate is open
    init(
        _ demand: Demand = .response, key: String = "login", policy: StepPolicy = .login,
        session: HttpSession = HttpSession(), body: String = "", covers: StepCoverage? = nil,
        change: (inout HttpConversationManager.Configuration) -> Void = { _ in }, work: @escaping Work
    ) {
        let (isLoggedIn, runs, gate, wire) = (isLoggedIn, runs, gate, wire)
        let this = Box<StepBench?>(nil)
        let step = ConversationStep(key, covers: covers, policy: policy) { context -> StepOutcome in
            runs.update { $0 += 1 }
            try await gate.wait()
            guard let bench = this.value else { return .declined }
            return try await work(bench, context)
        }
        let transport = ScriptedTransport { request, _ throws(ConversationError) in
            let knew = isLoggedIn.value
            do { if request.headerFields[.slow] != nil { try await wire.wait() } } catch { throw .cancelled }
            return knew ? Answer(.ok) : demand.answer(body)
        }
        manager = testManager(transport) {
            $0.session = session
            $0.multiplexer = .init()
            demand.add(step, to: &$0)
            change(&$0)
        }
        self.demand = demand
        self.session = session
        self.step = step
        this.update { $0 = self }
    }

    func get(slowly: Bool = false) async throws -> ConversationResponse {
        try await manager.data(for: HTTPRequest(.get, "http://h/", fields: slowly ? [.slow: "yes"] : [:]))
    }

    /// The number of conversations by status or error code.
    func get(_ count: Int, slowly: Bool = false) async -> [String: Int] {
        await withTaskGroup(of: String.self) { group in
            for _ in 0..<count {
                group.addTask {
                    do { return "\(try await self.get(slowly: slowly).status.code)" } catch {
                        return "\((error as? ConversationError)?.code.description ?? "other")"
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
    }

    /// Opens the gate once a number of conversations wait for the step.
    func open(at count: Int) async {
        await session.steps.waitForWaiters(count, of: step.key)
        gate.open()
    }
}

extension Demand {
    var status: HTTPResponse.Status { head.status }

    var head: HTTPResponse {
        switch self {
        case .response: HTTPResponse(status: .ok, headerFields: [.login: "required"])
        case .redirect: HTTPResponse(status: .found, headerFields: [.location: "http://h/login"])
        case .challenge: HTTPResponse(status: .unauthorized, headerFields: [.wwwAuthenticate: "Basic realm=R"])
        }
    }

    func answer(_ body: String) -> ScriptedTransport.Answer { .init(status, head.headerFields, body: body) }

    /// A filter that asks for the step.
    func add(_ step: ConversationStep<StepOutcome>, to configuration: inout HttpConversationManager.Configuration) {
        switch self {
        case .response:
            configuration.responseFilters.add(
                TestFilter(onResponse: { response, _ in
                    guard response.headerFields[.login] == "required" else { return .proceed }
                    return .restart(reason: "logged in", after: step)
                }))
        case .redirect:
            configuration.redirectFilters.add(
                TestFilter(onRedirect: { redirect, _ in
                    redirect.location.hasSuffix("/login") ? .restart(reason: "logged in", after: step) : .follow
                }))
        case .challenge:
            configuration.challengeFilters.add(TestFilter(onChallenge: { _, _ in .after(step.beforeRetry) }))
        }
    }
}

extension HTTPField.Name {
    static let login = HTTPField.Name("X-Login") ?? .accept
    static let slow = HTTPField.Name("X-Slow") ?? .accept
}

/// An error for a failing step.
struct PlannedError: Error {}
