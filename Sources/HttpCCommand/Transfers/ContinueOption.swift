import HttpC
import HttpCTerminal
import HttpConvFormats

/// -C: the place where a download continues.
enum ContinueOption: Equatable {
    /// At the end of the stored part (`-`), if the resource is still the same.
    case measured
    /// At a byte, from 1. Only the caller knows that the bytes before it are the resource's.
    case offset(Int)

    /// The option's value; nil for 0, which is the beginning.
    init?(_ text: String) throws(CommandFailure) {
        if text == "-" {
            self = .measured
            return
        }
        guard let number = PeerNumber.integer(text, in: 0...Int.max) else {
            throw CommandFailure(
                .usage, "-C takes '-', or the number of bytes to leave out, such as 500. For other parts there is -r.")
        }
        if number == 0 { return nil }
        self = .offset(number)
    }

    /// Throws if -C does not fit the request or the destination.
    static func check(
        _ plan: RequestPlan, _ payload: RequestPayload, _ destination: TransferDestination
    ) throws(CommandFailure) {
        guard let option = plan.continuation else { return }
        if case .named = destination {
            throw CommandFailure(.usage, "-C needs a file whose name is known: use -o instead of -J.")
        }
        let isGet = payload.body == nil && plan.method.map { $0 == "GET" } ?? true
        switch option {
        case .measured:
            guard isGet, takesMeasured(plan) else {
                throw CommandFailure(
                    .usage, "-C - is for a plain GET, without -d, -F, -T, -X, -r, -I, -i and --events.")
            }
            guard destination.path != nil else {
                throw CommandFailure(
                    .usage, "-C continues a file: name it with -o, or use the URL's name with -O.")
            }
        case .offset:
            guard isGet, plan.range == nil, !plan.printsEvents else {
                throw CommandFailure(
                    .usage,
                    "-C is for downloads, without -d, -F, -T, -X, -r and --events. A server may take a part that is uploaded for the whole."
                )
            }
        }
    }

    /// Whether `-C -` could be added to a command for one of its transfers.
    static func fits(_ plan: RequestPlan, _ transfer: Transfer) -> Bool {
        transfer.body == nil && transfer.request.method == .get && takesMeasured(plan)
    }

    private static func takesMeasured(_ plan: RequestPlan) -> Bool {
        plan.range == nil && !plan.asksForHead && !plan.includesHead && !plan.printsEvents
    }

    /// Checks that an answer has the rest from a byte on.
    ///
    /// - Returns: a message if nothing is missing; nil if the rest follows
    /// - Throws: an error for all other answers, as curl does
    static func check(_ stream: ConversationStream, from offset: Int) throws(ConversationError) -> String? {
        let (origin, fields) = (stream.url.originInMessages, stream.headerFields)
        switch stream.status.code {
        case 206:
            // Ranges count the bytes as sent.
            guard case .part(offset, _, _)? = ContentRange(of: fields), !fields.contains(.contentEncoding) else {
                throw failure("\(origin) sends another part than the one from byte \(offset) on (-C)")
            }
            return nil
        case 416: return "\(origin) has nothing from byte \(offset) on (-C): nothing was written."
        case 200..<300 where stream.expectedLength == offset:
            return "\(origin) has \(offset) bytes, and all of them are there (-C): nothing was written."
        case 200..<300: throw failure("\(origin) sends the whole rather than from byte \(offset) on (-C)")
        default: throw failure("\(origin) answered \(stream.status.code) rather than from byte \(offset) on (-C)")
        }
    }

    private static func failure(_ what: String) -> ConversationError {
        let failure = CommandFailure(
            .rangeFailed, "\(what): nothing was written. Without -C the whole is fetched.")
        return ConversationError(.notResumable, failure.message, underlyingError: failure)
    }
}
