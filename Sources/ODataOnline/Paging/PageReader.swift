import HTTPTypes
import HttpConversation
import ODataFormats

/// Reads pages one after another: pulls bytes when there is no row in those before.
final class PageReader {
    private let client: ServiceClient
    private var links: PageLinks
    private var upcoming: PageLinks.Step?
    /// Rows that are taken out of it are gone with the next one.
    private var document: JSONDocument
    private var open: OpenPage?
    /// Whether all of it has arrived.
    private var isRead = false
    /// How long the service has been waited for.
    private var waited = Duration.zero
    /// Whether the page after the first one is read, too.
    private let followsLinks: Bool
    /// What the last page said beside its rows.
    private(set) var notes = PageNotes()
    /// Where it came from.
    private(set) var url: TargetURL

    private struct OpenPage {
        let body: ResponseBody
        let url: TargetURL
        let scanner: any RowScanner
    }

    init(_ client: ServiceClient, _ target: TargetURL, followsLinks: Bool) {
        self.client = client
        self.followsLinks = followsLinks
        links = PageLinks(client, first: target)
        url = target
        upcoming = PageLinks.Step(target: target, isForeign: false)
        document = JSONDocument(limits: client.options.limits.json)
    }

    /// The next row; nil behind the last one.
    nonisolated(nonsending) func next() async throws(ODataError) -> JSONValue? {
        while true {
            if open == nil {
                guard let step = upcoming else { return nil }
                open = try await begin(step)
            }
            if let row = try row() { return row }
            if isRead { try close() } else { try await read() }
        }
    }

    private func row() throws(ODataError) -> JSONValue? {
        do throws(FormatProblem) {
            // A value that somebody kept must not change under them.
            if !isKnownUniquelyReferenced(&document) { document = JSONDocument(limits: client.options.limits.json) }
            guard try open?.scanner.nextRow(into: document) == true else { return nil }
            return document.root
        } catch {
            throw client.malformed(error)
        }
    }

    /// More of the page, or its end.
    private nonisolated(nonsending) func read() async throws(ODataError) {
        guard let page = open else { return }
        let chunk: [UInt8]?
        let start = ContinuousClock.now
        do throws(ConversationError) { chunk = try await page.body.next() } catch {
            throw ODataError(error, at: "\(client.root.url)")
        }
        try waited(since: start)
        do throws(FormatProblem) {
            guard let chunk else {
                // The last rows may be known only now.
                try page.scanner.finish()
                isRead = true
                return
            }
            try page.scanner.append(chunk)
        } catch {
            throw client.malformed(error)
        }
    }

    /// Counts what the service was waited for.
    private func waited(since start: ContinuousClock.Instant) throws(ODataError) {
        waited += .now - start
        guard let limit = client.options.limits.waitingTime, waited > limit else { return }
        throw ODataError(
            ConversationError(
                .timedOut, "its pages took longer than \(limit) together: ask for less, or raise the limit."),
            at: "\(client.root.url)")
    }

    /// Leaves a page that was read, for the next one.
    private func close() throws(ODataError) {
        guard let page = open else { return }
        notes = page.scanner.page
        url = page.url
        if let error = notes.error {
            throw ODataError(
                .serverFailed, "\(client.root.url) failed in the middle of its answer.",
                serverError: ODataServerError(json: error))
        }
        open = nil
        isRead = false
        upcoming = nil
        if followsLinks, let link = notes.nextLink { upcoming = try links.next(link, from: page.url) }
    }

    private nonisolated(nonsending) func begin(_ step: PageLinks.Step) async throws(ODataError) -> OpenPage {
        let start = ContinuousClock.now
        let stream =
            step.isForeign
            ? try await client.foreign(step.target)
            : try await client.stream(.get, step.target, client.readingFields)
        try waited(since: start)
        let scanner: any RowScanner
        switch ContentKind(stream.headerFields[.contentType], []) {
        case .json, .other: scanner = JSONRowScanner(limits: client.options.limits.rows)
        case .xml: scanner = AtomRowScanner(limits: client.options.limits.rows)
        case .page: throw client.page(status: stream.status.code)
        case .multipart: throw client.malformed(FormatProblem("it is no page of rows"), status: stream.status.code)
        }
        return OpenPage(body: stream.body, url: stream.url, scanner: scanner)
    }
}
