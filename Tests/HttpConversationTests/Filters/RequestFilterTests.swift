import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Synchronization
import Testing

/// The methods of request filters that are called, and those that need not be.
@Suite(.timeLimit(.minutes(1))) struct RequestFilterTests {
    /// Notes its calls, and marks requests at once unless their path starts with `/slow`.
    private final class Marker: RequestFilter {
        let preparesRequests: Bool
        private let state = Mutex<[String]>([])
        var calls: [String] { state.withLock { $0 } }

        init(preparesRequests: Bool) { self.preparesRequests = preparesRequests }

        private func mark(_ call: String, _ request: inout ConversationRequest) {
            state.withLock { $0.append(call) }
            request.headerFields[.authorization] = call
        }

        func prepare(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
            state.withLock { $0.append("prepare") }
        }

        func authorizeAtOnce(_ request: inout ConversationRequest, in context: ConversationContext) throws -> Bool {
            if request.target.path == "/wrong" { throw Wrong() }
            guard !request.target.path.hasPrefix("/slow") else { return false }
            mark("at once", &request)
            return true
        }

        func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
            mark("authorize", &request)
        }
    }

    private struct Wrong: Error {}

    @Test func aFilterThatIsDoneAtOnceIsNotAskedAgain() async throws {
        let filter = Marker(preparesRequests: true)
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let manager = testManager(transport) { $0.add(filter) }
        _ = try await manager.get("http://h/quick")
        #expect(filter.calls == ["prepare", "at once"])
        _ = try await manager.get("http://h/slow")
        #expect(filter.calls == ["prepare", "at once", "prepare", "authorize"])
        #expect(transport.requests.map { $0.headerFields[.authorization] } == ["at once", "authorize"])
    }

    /// Changes the fields of each request that it prepares.
    private struct Adder: RequestFilter {
        let changes: @Sendable (inout HTTPFields) -> Void

        func prepare(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
            changes(&request.headerFields)
        }
    }

    /// Sends a POST that is answered with a redirect, whose destination is restarted twice.
    ///
    /// - Returns: the requests for the destination
    private func restarted(
        at destination: String, _ delegate: (any ConversationDelegate)? = nil,
        _ changes: @escaping @Sendable (inout HTTPFields) -> Void
    ) async throws -> [TransportRequest] {
        let transport = ScriptedTransport { request, _ in
            request.method == .post ? .init(.seeOther, [.location: destination]) : .init(.ok)
        }
        let left = Mutex(2)
        let manager = testManager(transport) {
            $0.add(Adder(changes: changes))
            $0.add(
                TestFilter(onResponse: { _, _ in
                    left.withLock { left in
                        left -= 1
                        return left < 0 ? .proceed : .restart(reason: "again")
                    }
                }))
        }
        _ = try await manager.data(
            for: HTTPRequest(.post, "http://h/form", fields: [.accept: "a", .userAgent: "u"]),
            body: .text("x"), delegate: delegate)
        let requests = transport.requests
        #expect(requests.map(\.line) == ["POST http://h/form"] + [String](repeating: "GET \(destination)", count: 3))
        return Array(requests.dropFirst())
    }

    /// An attempt that begins after an answered modifying request is prepared like any other: what the filters added
    /// before is not doubled.
    @Test(arguments: ["http://h/done", "http://other/done"])
    func theDestinationOfAnAnsweredPostIsPreparedAnew(destination: String) async throws {
        let count = Mutex(0)
        let requests = try await restarted(at: destination) { fields in
            let number = count.withLock { count in
                count += 1
                return count
            }
            fields.append(HTTPField(name: .acceptLanguage, value: "\(number)"))
            fields.append(HTTPField(name: .accept, value: "b"))
            fields[.userAgent] = "\(fields[.userAgent] ?? "none") \(number)"
        }
        #expect(requests.map { $0.headerFields[values: .acceptLanguage] } == [["1"], ["2"], ["3"]])
        #expect(requests.map { $0.headerFields[values: .accept] } == [["a", "b"], ["a", "b"], ["a", "b"]])
        #expect(requests.map { $0.headerFields[values: .userAgent] } == [["u 1"], ["u 2"], ["u 3"]])
        #expect(requests.allSatisfy { !$0.headerFields.contains(.contentType) })
    }

    /// Fields that a delegate set for the destination stay.
    @Test func theDelegatesFieldsOfTheDestinationStay() async throws {
        struct Changer: ConversationDelegate {
            func request(
                _ request: ConversationRequest, following redirect: Redirect
            ) async -> ConversationRequest? {
                var request = request
                request.headerFields[.acceptLanguage] = "delegate"
                return request
            }
        }
        let requests = try await restarted(at: "http://h/done", Changer()) { fields in
            if !fields.contains(.acceptLanguage) { fields[.acceptLanguage] = "filter" }
        }
        #expect(requests.map { $0.headerFields[.acceptLanguage] } == ["delegate", "delegate", "delegate"])
    }

    @Test func aFilterThatPreparesNothingIsNotCalledForIt() async throws {
        let filter = Marker(preparesRequests: false)
        let manager = testManager(ScriptedTransport { _, _ in .init(.ok) }) { $0.add(filter) }
        _ = try await manager.get("http://h/quick")
        #expect(filter.calls == ["at once"])
    }

    @Test func theCallersAuthorizationStays() async throws {
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let manager = testManager(transport) { $0.add(Marker(preparesRequests: false)) }
        for path in ["quick", "slow"] {
            _ = try await manager.get("http://h/\(path)", fields: [.authorization: "own"])
        }
        #expect(transport.requests.map { $0.headerFields[.authorization] } == ["own", "own"])
    }

    @Test func anErrorNamesTheFilter() async throws {
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let manager = testManager(transport) { $0.add(Marker(preparesRequests: false), id: "mine") }
        let error = await #expect(throws: ConversationError.self) { try await manager.get("http://h/wrong") }
        #expect(error?.code == .filterFailed && error?.underlyingError is Wrong)
        #expect(error?.message.contains("mine") == true)
        #expect(transport.requests.isEmpty)
    }
}
