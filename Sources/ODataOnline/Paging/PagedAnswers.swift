import HttpConvFormats
import HttpConversation

/// Reads the pages of a collection that is in memory as a whole. Together they have the bytes of one answer at most.
struct PagedAnswers {
    private let client: ServiceClient
    private var links: PageLinks
    private var bytes = 0
    private var waiting = WaitingTime()

    init(_ client: ServiceClient, first answer: ServiceAnswer) {
        self.client = client
        links = PageLinks(client, first: answer.url)
    }

    /// The page after one; nil after the last one.
    ///
    /// - Parameter root: the JSON of that page
    mutating func next(after answer: ServiceAnswer, _ root: JSONElement) async throws(ODataError) -> ServiceAnswer? {
        bytes += answer.bytes.count
        let envelope: PageEnvelope
        do throws(FormatFailure) { envelope = try Self.envelope(root) } catch {
            throw client.malformed(error, status: answer.status)
        }
        guard let step = try links.next(envelope, from: answer.url, answer.sent) else { return nil }
        let start = ContinuousClock.now
        let next = try await client.answer(step, limit: max(0, client.configuration.limits.rowBytes - bytes))
        try waiting.add(since: start, client)
        return next
    }

    /// The links of a page. In OData 2.0 they are within `d`, and within the name of a function.
    private static func envelope(_ root: JSONElement) throws(FormatFailure) -> PageEnvelope {
        var envelope = PageEnvelope()
        let data = root["d"]
        let link =
            data.flatMap { $0["__next"] ?? only($0)?["__next"] } ?? root["@odata.nextLink"] ?? root["@nextLink"]
            ?? root["odata.nextLink"]
        if let link, !link.isNull {
            guard let text = link.text ?? link["uri"]?.text else {
                throw FormatFailure("the link to the next page is not text")
            }
            envelope.nextLink = text.isEmpty ? nil : text
        }
        envelope.base = (root["@odata.context"] ?? root["@context"] ?? root["odata.metadata"])?.text
        return envelope
    }

    /// The only member's value of an object.
    private static func only(_ object: JSONElement) -> JSONElement? {
        guard let members = try? object.members(), members.count == 1, let member = members.first,
            member.value.kind == .object
        else { return nil }
        return member.value
    }
}
