import Dispatch
import HttpConvPlatform
import NIOCore
import Synchronization

/// Looks up host names with the system's resolver.
///
/// `getaddrinfo` blocks, for half a minute if the name servers are silent, and cannot be cancelled. So each call has a
/// thread, and a name without an answer delays no other name. Dispatch makes a thread when a call needs one, and ends
/// it after some idle seconds.
final class NameLookUps: Sendable {
    /// A host name, and the family of the addresses that are asked for.
    struct Question: Hashable, Sendable {
        let host: String
        /// The family; nil: both.
        var family: NIOTransport.AddressFamily?
    }

    /// The addresses of a name, with port 0. Blocks.
    typealias Resolve = @Sendable (Question) throws -> [SocketAddress]

    private struct State {
        /// The calls that run.
        var calls: [Question: Int] = [:]
        var callsInTotal = 0
        /// The look-ups without a call of their own.
        var waiting: [NameLookUp] = []
    }

    static let shared = NameLookUps(resolve: SystemNames.addresses)

    private let limit: Int
    private let limitPerQuestion: Int
    private let resolve: Resolve
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: the maximum number of calls at a time
    ///   - limitPerQuestion: the maximum number of calls for one question at a time, so that many connections to one
    ///     dead name leave threads to others
    init(limit: Int = 64, limitPerQuestion: Int = 4, resolve: @escaping Resolve) {
        self.limit = limit
        self.limitPerQuestion = limitPerQuestion
        self.resolve = resolve
    }

    /// Begins a look-up. Beyond the limits it waits for the answer to the same question, or for a free thread.
    func begin(_ question: Question, on loop: any EventLoop) -> NameLookUp {
        let lookUp = NameLookUp(question: question, answer: loop.makePromise(), lookUps: self)
        let ready = state.withLock { state in
            state.waiting.append(lookUp)
            return takeReady(&state)
        }
        ready.forEach(call)
        return lookUp
    }

    /// Takes the look-ups whose calls may begin.
    private func takeReady(_ state: inout State) -> [NameLookUp] {
        var ready: [NameLookUp] = []
        while state.callsInTotal < limit,
            let index = state.waiting.firstIndex(where: { state.calls[$0.question, default: 0] < limitPerQuestion })
        {
            let lookUp = state.waiting.remove(at: index)
            state.calls[lookUp.question, default: 0] += 1
            state.callsInTotal += 1
            ready.append(lookUp)
        }
        return ready
    }

    private func call(for lookUp: NameLookUp) {
        let question = lookUp.question
        // A queue of its own has a thread at once. The threads of global queues are as few as the processors.
        DispatchQueue(label: "HttpConversation.NameLookUps").async { [self] in
            let answer = Result { try resolve(question) }
            let (others, ready) = state.withLock { state in
                let others = state.waiting.filter { $0.question == question }
                state.waiting.removeAll { $0.question == question }
                state.calls[question] = state.calls[question].flatMap { $0 > 1 ? $0 - 1 : nil }
                state.callsInTotal -= 1
                return (others, takeReady(&state))
            }
            for answered in [lookUp] + others { answered.answer.completeWith(answer) }
            ready.forEach(call)
        }
    }

    fileprivate func cancel(_ lookUp: NameLookUp) {
        state.withLock { state in
            state.waiting.removeAll { $0.answer.futureResult === lookUp.answer.futureResult }
        }
        // If a call runs for the look-up, the promise ignores its result.
        lookUp.answer.fail(CancellationError())
    }
}

/// A look-up that a connection waits for.
struct NameLookUp: Sendable {
    let question: NameLookUps.Question
    fileprivate let answer: EventLoopPromise<[SocketAddress]>
    fileprivate let lookUps: NameLookUps

    /// The addresses, with port 0.
    var addresses: EventLoopFuture<[SocketAddress]> { answer.futureResult }

    /// Ends the wait at once. A call of the system that has begun goes on, because nothing can end it.
    func cancel() { lookUps.cancel(self) }
}

/// The system's resolver.
private enum SystemNames {
    /// The reason of the system.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    static func addresses(_ question: NameLookUps.Question) throws -> [SocketAddress] {
        var hints = addrinfo()
        if let family = question.family { hints.ai_family = family == .ipv4 ? AF_INET : AF_INET6 }
        hints.ai_socktype = stream
        hints.ai_protocol = Int32(IPPROTO_TCP)
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(question.host, nil, &hints, &first)
        guard code == 0 else { throw Failure(description: String(cString: gai_strerror(code))) }
        defer { freeaddrinfo(first) }
        return sequence(first: first) { $0?.pointee.ai_next }.prefix { $0 != nil }.compactMap { entry in
            guard let entry, let address = entry.pointee.ai_addr else { return nil }
            return switch entry.pointee.ai_family {
            case AF_INET:
                address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    SocketAddress($0.pointee, host: question.host)
                }
            case AF_INET6:
                address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    SocketAddress($0.pointee, host: question.host)
                }
            default: nil
            }
        }
    }

    private static var stream: Int32 {
        #if canImport(Glibc)
        Int32(SOCK_STREAM.rawValue)
        #else
        SOCK_STREAM
        #endif
    }
}
