import HTTPTypes
import HttpConvFormats
import HttpConversation

/// Reads pages one after another. It asks for more bytes only when the present ones hold no further row.
final class PageReader {
    private let client: ServiceClient
    private var links: PageLinks
    private var upcoming: PageLinks.Step?
    /// The row that was read last. The next row takes its place.
    private var document: JSONDocument
    private var open: OpenPage?
    /// Whether the whole page has arrived.
    private var isRead = false
    private var waiting = WaitingTime()
    /// Whether to read the pages after the first one, too.
    private let followsLinks: Bool
    /// The members of the last page beside its rows.
    private(set) var envelope = PageEnvelope()
    /// The address of the last page.
    private(set) var url: TargetURL

    private struct OpenPage {
        let body: ResponseBody
        let url: TargetURL
        /// The secrets that were sent for it.
        let sent: SentFields
        let scanner: any RowScanner
    }

    init(_ client: ServiceClient, _ target: TargetURL, followsLinks: Bool) {
        self.client = client
        self.followsLinks = followsLinks
        links = PageLinks(client, first: target)
        url = target
        upcoming = PageLinks.Step(target: target, isForeign: false)
        document = JSONDocument(limits: client.configuration.limits.json)
    }

    /// The next row; nil after the last one.
    nonisolated(nonsending) func next() async throws(ODataError) -> JSONElement? {
        while true {
            if open == nil {
                guard let step = upcoming else { return nil }
                open = try await begin(step)
            }
            if let row = try row() { return row }
            if isRead { try close() } else { try await read() }
        }
    }

    private func row() throws(ODataError) -> JSONElement? {
        do throws(FormatFailure) {
            // A row that the caller still holds must not change.
            if !isKnownUniquelyReferenced(&document) {
                document = JSONDocument(limits: client.configuration.limits.json)
            }
            guard try open?.scanner.nextRow(into: document) == true else { return nil }
            return document.root
        } catch {
            throw client.malformed(error)
        }
    }

    /// Reads more of the page, or its end.
    private nonisolated(nonsending) func read() async throws(ODataError) {
        guard let page = open else { return }
        let chunk: [UInt8]?
        let start = ContinuousClock.now
        do throws(ConversationError) { chunk = try await page.body.next() } catch {
            throw ODataError(error, at: "\(client.root.url)")
        }
        try waiting.add(since: start, client)
        do throws(FormatFailure) {
            guard let chunk else {
                // `finish` may complete the last rows.
                try page.scanner.finish()
                isRead = true
                return
            }
            try page.scanner.append(chunk)
        } catch {
            throw client.malformed(error)
        }
    }

    /// Closes a page, and prepares the next one.
    private func close() throws(ODataError) {
        guard let page = open else { return }
        envelope = page.scanner.page
        url = page.url
        try client.check(envelope, page.sent)
        open = nil
        isRead = false
        upcoming = nil
        if followsLinks { upcoming = try links.next(envelope, from: page.url, page.sent) }
    }

    private nonisolated(nonsending) func begin(_ step: PageLinks.Step) async throws(ODataError) -> OpenPage {
        let start = ContinuousClock.now
        let stream =
            step.isForeign
            ? try await client.foreign(step.target)
            : try await client.stream(.get, step.target, client.readingFields)
        try waiting.add(since: start, client)
        let scanner: any RowScanner
        switch ContentKind(stream.headerFields[.contentType], []) {
        case .json, .other: scanner = JSONRowScanner(limits: client.configuration.limits.rows)
        case .xml: scanner = AtomRowScanner(limits: client.configuration.limits.rows)
        case .page: throw client.page(status: stream.status.code)
        case .multipart: throw client.malformed(FormatFailure("it is not a page of rows"), status: stream.status.code)
        }
        return OpenPage(body: stream.body, url: stream.url, sent: stream.sent, scanner: scanner)
    }
}
