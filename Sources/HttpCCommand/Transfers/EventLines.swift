import HttpC
import HttpCTerminal
import HttpConvFormats
import HttpConvPlatform

/// --events: each server-sent event as a JSON object on a separate line.
enum EventLines {
    private struct Line: Encodable {
        let event: String
        let data: String
        let id: String?
        /// The retry time in milliseconds.
        let retry: Int?
    }

    /// A body of those lines.
    static func body(_ stream: ConversationStream) -> ResponseBody { ResponseBody(Body(stream)) }

    static func line(_ event: ServerSentEvent) -> [UInt8] {
        let line = Line(
            event: event.type, data: event.data, id: event.lastEventID.isEmpty ? nil : event.lastEventID,
            retry: event.retry.flatMap { PeerNumber.integer($0 / .milliseconds(1), clampingTo: 0...Int.max) })
        return Array((TerminalJSON.line(line) + "\n").utf8)
    }

    /// Confined to the body's only consumer.
    private actor Events {
        private var iterator: ServerSentEvents.Iterator?

        init(_ stream: ConversationStream) { iterator = stream.events.makeAsyncIterator() }

        func next() async throws(ConversationError) -> [UInt8]? {
            guard var current = iterator else { return nil }
            iterator = nil
            let event = try await current.next()
            if event != nil { iterator = current }
            return event.map(EventLines.line)
        }
    }

    private final class Body: TransportBody {
        private let events: Events

        init(_ stream: ConversationStream) { events = Events(stream) }

        func next() async throws(ConversationError) -> [UInt8]? { try await events.next() }

        func cancel() {}
    }
}
