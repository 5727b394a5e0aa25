public import HttpConversation
import Synchronization

/// A transport with scripted answers, without a network.
///
/// It is for tests of filters and of code that uses a manager. Test behaviour on the wire against a server.
public final class ScriptedTransport: HTTPTransport {
    private struct State {
        var requests: [TransportRequest] = []
        var bodies: [[UInt8]] = []
    }

    private let script: @Sendable (TransportRequest, _ index: Int) async throws(ConversationError) -> Answer
    private let readsBodies: Bool
    private let clock: any Clock<Duration> & Sendable
    /// The capabilities that it claims. The script has to implement them.
    public let capabilities: TransportCapabilities
    private let state = Mutex(State())

    /// - Parameters:
    ///   - readsBodies: whether request bodies are read before the script answers
    ///   - clock: measures the delays of the answers; with a ``TestClock`` no test waits
    ///   - capabilities: the capabilities that it claims, such as going through proxies
    ///   - script: answers the request with the number `index`, counted from 0
    public init(
        readsBodies: Bool = true, clock: any Clock<Duration> & Sendable = ContinuousClock(),
        capabilities: TransportCapabilities = [.streamingRequests, .streamingResponses],
        _ script: @escaping @Sendable (TransportRequest, _ index: Int) async throws(ConversationError) -> Answer
    ) {
        self.readsBodies = readsBodies
        self.clock = clock
        self.capabilities = capabilities
        self.script = script
    }

    /// The requests so far, in order of arrival.
    public var requests: [TransportRequest] { state.withLock { $0.requests } }
    /// The bodies that were read, in the order in which their reading ended.
    public var bodies: [[UInt8]] { state.withLock { $0.bodies } }

    public func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        let index = state.withLock { state in
            state.requests.append(request)
            return state.requests.count - 1
        }
        if readsBodies, let body = request.body {
            let bytes = try await Self.read(body)
            state.withLock { $0.bodies.append(bytes) }
        }
        let answer = try await script(request, index)
        if Task.isCancelled { throw .cancelled }
        return try await answer.response(clock)
    }

    public func shutdown() async {}

    private static func read(_ body: RequestBody) async throws(ConversationError) -> [UInt8] {
        let opened = try await body.open()
        var bytes: [UInt8] = []
        do {
            let stream = try await opened.stream()
            while let chunk = try await stream.next() {
                bytes += chunk
                body.progress?(bytes.count, opened.length)
            }
        } catch {
            throw .wrapping(error, as: .bodyUnavailable, "The request body cannot be read.")
        }
        return bytes
    }
}
