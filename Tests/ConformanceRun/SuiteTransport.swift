import HTTPTypes
import HttpConversation
import HttpConversationConformance
import HttpConversationNIO
import HttpConversationTesting
import HttpConversationURLSession
import Logging

/// The transports under test, with their known failures.
enum SuiteTransport: String, CaseIterable {
    case nio
    case nioHTTP2 = "nio-http2"
    case scripted
    case urlSession = "urlsession"

    /// The default transports. URLSession on Linux may end its process, so it runs in one of its own.
    static let inOneProcess: [SuiteTransport] = [.nio, .nioHTTP2, .scripted]

    var wire: ConformanceWire {
        switch self {
        case .nio, .urlSession: .http1
        case .nioHTTP2: .http2
        case .scripted: .inProcess
        }
    }

    @Sendable func make(_ setup: ConformanceSetup) throws -> any HTTPTransport & AnyObject {
        switch self {
        case .nio, .nioHTTP2:
            var configuration = NIOTransport.Configuration()
            configuration.tls.trustRoots = .pem(setup.trustRoots)
            configuration.logger = Logger(label: "suite") { _ in SwiftLogNoOpLogHandler() }
            return NIOTransport(configuration: configuration)
        case .urlSession:
            return URLSessionTransport()
        case .scripted:
            return ScriptedTransport(readsBodies: false) { request, _ throws(ConversationError) in
                .init(try await setup.answer(request))
            }
        }
    }

    /// - Parameter alone: whether to run without exclusions, as for a case that may end its process
    func run(
        only ids: Set<String>? = nil, alone: Bool = false, inParallel width: Int = 8,
        timeLimit: Duration = .seconds(20),
        watching leftovers: Leftovers? = nil
    ) async throws -> ConformanceReport {
        try await TransportConformance.run(
            rawValue, over: wire, excluding: alone ? [] : exclusions, only: ids, inParallel: width, timeLimit: timeLimit
        ) {
            let transport = try make($0)
            leftovers?.watch(transport)
            return transport
        }
    }
}

extension ScriptedTransport.Answer {
    init(_ reply: ConformanceReply) {
        let chunks = ScriptedTransport.Answer(reply.status, reply.fields, chunks: reply.pieces)
        switch reply.ending {
        case .whole where reply.announcesLength:
            self.init(reply.status, reply.fields, bytes: Array(reply.pieces.joined()))
        case .whole: self = chunks
        case .cut: self = chunks.failing(after: reply.pieces.reduce(0) { $0 + $1.count })
        case .open: self = ScriptedTransport.Answer(reply.status, reply.fields, chunks: [[0]]).pausing(.seconds(3600))
        }
    }
}
