import HttpC
import HttpCTerminal
import HttpConvFormats

/// -r, and -C with a number: parts of a body.
struct RangeOption {
    /// The requested range.
    let field: HTTPField

    /// The range; nil without either option.
    init?(_ plan: RequestPlan) throws(CommandFailure) {
        if case .offset(let offset)? = plan.continuation {
            field = HTTPField(name: .range, value: "bytes=\(offset)-")
            return
        }
        guard let range = plan.range else { return nil }
        guard Self.isValid(range) else {
            throw CommandFailure(.usage, "-r takes ranges of bytes, such as 0-499, 500- or -100; several with commas.")
        }
        field = HTTPField(name: .range, value: "bytes=\(range)")
    }

    private static func isValid(_ text: String) -> Bool {
        text.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { ends(of: $0) != nil }
    }

    /// First and last byte; for the last bytes of the body, their number alone.
    private static func ends(of text: Substring) -> (first: Int?, last: Int?)? {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } }) else {
            return nil
        }
        let first = PeerNumber.integer(parts[0], in: 0...Int.max)
        let last = PeerNumber.integer(parts[1], in: 0...Int.max)
        guard first != nil || last != nil, (first == nil) == parts[0].isEmpty, (last == nil) == parts[1].isEmpty else {
            return nil
        }
        if let first, let last, first > last { return nil }
        return (first, last)
    }

    /// Checks that an answer has the requested range.
    ///
    /// - Returns: a message if the server sends the whole body, which curl accepts
    /// - Throws: an error for another part
    static func check(_ stream: ConversationStream, _ range: String) throws(ConversationError) -> String? {
        guard stream.status.code == 206 else {
            return stream.status.kind == .successful
                ? "\(stream.url.originInMessages) sends no ranges: this is the whole (-r)." : nil
        }
        let parts = range.split(separator: ",")
        let type = stream.headerFields[.contentType]?.lowercased() ?? ""
        if parts.count > 1, type.hasPrefix("multipart/byteranges") { return nil }
        if case .part(let first, let last, let total)? = ContentRange(of: stream.headerFields),
            parts.contains(where: { fits(first, last, total, $0) }) || joins(parts, first, last, total)
        {
            return nil
        }
        let failure = CommandFailure(
            .rangeFailed, "\(stream.url.originInMessages) sends another range than -r asks for: nothing was written.")
        throw ConversationError(.malformedResponse, failure.message, underlyingError: failure)
    }

    /// Whether a part may be several asked ranges that the server has joined (RFC 9110 §15.3.7.2).
    private static func joins(_ asked: [Substring], _ first: Int, _ last: Int, _ total: Int?) -> Bool {
        guard asked.count > 1 else { return false }
        let ranges = asked.compactMap { ends(of: $0) }
        let starts = ranges.map { range in
            range.first ?? total.flatMap { total in range.last.map { max(0, total - $0) } }
        }
        // A range without a last byte, and the last bytes of the body, reach to its end.
        let furthest = ranges.map { $0.first == nil ? Int.max : $0.last ?? Int.max }.max() ?? 0
        return starts.contains(first) && last <= furthest
    }

    private static func fits(_ first: Int, _ last: Int, _ total: Int?, _ asked: Substring) -> Bool {
        guard let ends = ends(of: asked) else { return false }
        guard let start = ends.first else {
            guard let total, let count = ends.last else { return false }
            return last == total - 1 && first == max(0, total - count)
        }
        return first == start && ends.last.map { last <= $0 } ?? true
    }
}
