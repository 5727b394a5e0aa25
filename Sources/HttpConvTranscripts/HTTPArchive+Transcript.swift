import HttpConvFormats
import HttpConvPlatform
public import HttpConversation

extension HTTPArchive.Log {
    init(_ transcript: Transcript, creator: HTTPArchive.Creator) {
        self.creator = creator
        pages = HTTPArchive.Page.all(in: transcript)
        entries = RecordedExchange.all(in: transcript).map { HTTPArchive.Entry($0) }
            .sorted { $0.startedDateTime < $1.startedDateTime }
        comment = transcript.isCut ? "The beginning was dropped: there was more than is kept." : nil
    }
}

extension HTTPArchive.Page {
    fileprivate static func all(in transcript: Transcript) -> [HTTPArchive.Page] {
        let events = Dictionary(grouping: transcript.entries, by: \.conversation)
        var seen: Set<String> = []
        return transcript.entries.compactMap { entry in
            guard seen.insert(entry.conversation).inserted else { return nil }
            return HTTPArchive.Page(events[entry.conversation] ?? [entry], from: entry)
        }
    }

    private init(_ events: [Transcript.Entry], from first: Transcript.Entry) {
        startedDateTime = first.date
        id = first.conversation
        // There may be no URL if the first event was dropped.
        title = "\(first.method ?? "") \(first.url ?? "conversation \(first.conversation)")"
        let end = events.last { $0.name == .conversationEnded }
        let last = events.last { $0.name == .bodyReceived } ?? end
        pageTimings = HTTPArchive.PageTimings(
            onContentLoad: end.map { milliseconds($0.microseconds(since: first)) } ?? -1,
            onLoad: last.map { milliseconds($0.microseconds(since: first)) } ?? -1)
        _parent = first.parent
        comment = end?.error
    }
}

extension HTTPArchive.Entry {
    fileprivate init(_ exchange: RecordedExchange) {
        let started = exchange.request
        pageref = started.conversation
        startedDateTime = started.date
        timings = HTTPArchive.Timings(exchange)
        time = max(0, timings.blocked) + max(0, timings.connect) + timings.send + timings.wait + timings.receive
        request = HTTPArchive.Request(started, version: exchange.answer?.version)
        response = HTTPArchive.Response(exchange)
        let way = exchange.answer?.connection
        serverIPAddress = way?.peer.map(Self.address)
        connection = way?.number.map(String.init)
        _connectionReused = way?.isReused
        _tlsVersion = way?.tlsVersion
        _proxy = started.proxy
        let notes = [started.reason] + exchange.decisions.map(\.told)
        comment = notes.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: "; ")
    }

    /// The address without the port, and an IPv6 address without its brackets.
    private static func address(_ peer: String) -> String {
        guard let colon = peer.lastIndex(of: ":"), !peer.hasPrefix("/") else { return peer }
        return String(peer[..<colon].drop { $0 == "[" }.prefix { $0 != "]" })
    }
}

extension HTTPArchive.Request {
    fileprivate init(_ entry: Transcript.Entry, version: String?) {
        method = entry.method ?? ""
        url = entry.url ?? ""
        httpVersion = version ?? "unknown"
        cookies = entry.fields.filter { $0.name.lowercased() == "cookie" }
            .flatMap { $0.value.split(separator: ";") }.map(HTTPArchive.NamedValue.cookie)
        headers = entry.fields.map { .init(name: $0.name, value: $0.value) }
        queryString = HTTPArchive.NamedValue.parameters(of: entry.url ?? "")
        bodySize = entry.byteCount ?? (entry.value(of: "content-type") == nil ? 0 : -1)
    }
}

extension HTTPArchive.Response {
    fileprivate init(_ exchange: RecordedExchange) {
        let answer = exchange.answer
        status = answer?.status ?? 0
        statusText = answer?.reasonPhrase ?? ""
        httpVersion = answer?.version ?? "unknown"
        let fields = answer?.fields ?? []
        cookies = fields.filter { $0.name.lowercased() == "set-cookie" }
            .map { .cookie($0.value.prefix { $0 != ";" }) }
        headers = fields.map { .init(name: $0.name, value: $0.value) }
        let length = answer?.value(of: "content-length").flatMap { PeerNumber.integer($0, in: 0...Int.max) }
        let arrived = exchange.mayHaveBody && exchange.body.map { $0.error == nil } == true ? length : nil
        content = HTTPArchive.Content(
            size: exchange.body?.byteCount ?? arrived ?? 0,
            mimeType: answer?.value(of: "content-type") ?? "x-unknown")
        redirectURL = answer?.value(of: "location") ?? ""
        // Nobody knows how much arrived of a body that was cut.
        bodySize = exchange.mayHaveBody ? arrived ?? -1 : 0
        _error = answer?.error ?? exchange.body?.error ?? (answer == nil ? "There was no answer." : nil)
    }
}

extension HTTPArchive.NamedValue {
    /// A cookie by its name only. Its value is always redacted.
    fileprivate static func cookie(_ text: Substring) -> HTTPArchive.NamedValue {
        HTTPArchive.NamedValue(name: String(text.prefix { $0 != "=" }.drop { $0 == " " }), value: "<redacted>")
    }

    /// The query parameters of an already redacted URL.
    fileprivate static func parameters(of url: String) -> [HTTPArchive.NamedValue] {
        guard let mark = url.firstIndex(of: "?") else { return [] }
        let query = url[mark...].dropFirst().prefix { $0 != "#" }
        return query.split(separator: "&").map { pair in
            let name = pair.prefix { $0 != "=" }
            return HTTPArchive.NamedValue(name: String(name), value: String(pair.dropFirst(name.count + 1)))
        }
    }
}

extension HTTPArchive.Timings {
    fileprivate init(_ exchange: RecordedExchange) {
        let way = exchange.answer?.connection
        let isNew = way?.isReused == false
        let whole = exchange.answer?.microseconds(since: exchange.request) ?? 0
        // A reused connection was opened for another exchange, so its time does not count here.
        func part(_ time: Int64?, of whole: Int64) -> Int64? { isNew ? time.map { min(max(0, $0), whole) } : nil }
        let opening = part(way?.connectMicroseconds, of: whole)
        let tls = part(way?.tlsMicroseconds, of: whole - (opening ?? 0))
        blocked = -1
        connect = opening.map { milliseconds($0 + (tls ?? 0)) } ?? -1
        ssl = opening == nil ? -1 : tls.map { milliseconds($0) } ?? -1
        wait = opening == nil ? milliseconds(whole) : milliseconds(whole - (opening ?? 0) - (tls ?? 0))
        receive =
            exchange.body.flatMap { end in exchange.answer.map { milliseconds(end.microseconds(since: $0)) } } ?? 0
    }
}

extension Transcript.Entry {
    /// The decision, for people.
    fileprivate var told: String {
        let what = [verdict, space ?? url.map { "to \($0)" }, filterName.map { "by \($0)" }].compactMap { $0 }
        return what.joined(separator: " ") + (reason.map { " (\($0))" } ?? "")
    }
}

private func milliseconds(_ microseconds: Int64) -> Double { Double(microseconds) / 1000 }

extension Transcript {
    /// The exchanges as an HTTP archive (HAR 1.2), which browsers' developer tools can open.
    ///
    /// It has one page per conversation and one entry per exchange, including children (token requests, pages of logins
    /// in the terminal). It contains only data of the transcript: no bodies, only the names of cookies, and
    /// `<redacted>` for values that are not known to be harmless. Unknown numbers are -1, as the format requires.
    ///
    /// - Parameters:
    ///   - creator: the program that makes the file
    ///   - version: that program's version
    public func har(creator: String = "HttpConversation", version: String = "1") -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var value = encoder.singleValueContainer()
            try value.encode(date.text(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        }
        let archive = HTTPArchive(log: .init(self, creator: .init(name: creator, version: version)))
        // Encoding cannot fail: there are only texts, dates and finite numbers.
        return (try? encoder.encode(archive)).map { String(decoding: $0, as: UTF8.self) + "\n" } ?? ""
    }
}
