import Foundation
import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Synchronization

/// A resource that is served with ranges, as a script. Behaves like a correct server unless the test changes it.
final class RangeServer: Sendable {
    struct State: Sendable {
        var bytes: [UInt8]
        var tag: String?
        var hasLength = true
        /// The status of a full response.
        var status = HTTPResponse.Status.ok
        var fields: HTTPFields = [:]
        /// The numbers of bytes after which the next bodies are cut; empty: they are complete.
        var cuts: [Int] = []
        /// Answers instead of sending a range.
        var range: (@Sendable (_ start: Int, State) -> ScriptedTransport.Answer)?
        var pause: Duration?
    }

    let state: Mutex<State>
    let clock = TestClock()

    init(_ bytes: [UInt8], tag: String? = "\"v1\"") { state = Mutex(State(bytes: bytes, tag: tag)) }

    func change(_ change: @Sendable (inout State) -> Void) { state.withLock { change(&$0) } }

    var transport: ScriptedTransport {
        ScriptedTransport(clock: clock) { [self] request, _ in answer(request) }
    }

    private func answer(_ request: TransportRequest) -> ScriptedTransport.Answer {
        let (state, cut) = state.withLock { state in (state, state.cuts.isEmpty ? nil : state.cuts.removeFirst()) }
        var fields = state.fields
        if let tag = state.tag { fields[.eTag] = tag }
        let range = request.headerFields[.range]
        var answer: ScriptedTransport.Answer
        if let range, request.headerFields[.ifRange] == state.tag, let start = Self.start(of: range) {
            if let special = state.range { return special(start, state) }
            let rest = Array(state.bytes[min(start, state.bytes.count)...])
            if rest.isEmpty {
                fields[.contentRange] = "bytes */\(state.bytes.count)"
                return .init(.rangeNotSatisfiable, fields)
            }
            fields[.contentRange] = "bytes \(start)-\(state.bytes.count - 1)/\(state.bytes.count)"
            fields[.contentLength] = "\(rest.count)"
            answer = .init(.partialContent, fields, bytes: rest)
        } else if state.hasLength {
            fields[.contentLength] = "\(state.bytes.count)"
            answer = .init(state.status, fields, bytes: state.bytes)
        } else {
            answer = .init(.ok, fields, chunks: [state.bytes])
        }
        if let pause = state.pause { answer = answer.pausing(pause) }
        return cut.map { answer.failing(after: $0) } ?? answer
    }

    static func start(of range: String) -> Int? {
        guard range.hasPrefix("bytes="), range.hasSuffix("-") else { return nil }
        return Int(range.dropFirst(6).dropLast())
    }

    /// The fields of a correct partial response without a length.
    static func part(_ start: Int, _ state: State) -> HTTPFields {
        [.eTag: state.tag ?? "", .contentRange: "bytes \(start)-\(state.bytes.count - 1)/\(state.bytes.count)"]
    }

    /// A correct partial response, with fields that may be wrong.
    static func part(
        _ start: Int, _ state: State, _ fields: HTTPFields, bytes: [UInt8]? = nil
    ) -> ScriptedTransport.Answer {
        let rest = bytes ?? Array(state.bytes[start...])
        var all = part(start, state)
        all[.contentLength] = "\(rest.count)"
        for field in fields { all[field.name] = field.value.isEmpty ? nil : field.value }
        return .init(.partialContent, all, bytes: rest)
    }
}
