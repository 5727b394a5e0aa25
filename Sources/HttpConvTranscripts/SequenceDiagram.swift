import HttpConvPlatform
import HttpConversation

/// The messages of a conversation and its children, one row after the other.
struct SequenceDiagram {
    /// A participant, which is a column of the diagram.
    enum Lane: Hashable {
        case application, conversation
        /// The browser or terminal that shows a login.
        case screen
        case server(String)
        /// All servers without a column of their own.
        case others
    }

    /// A message from one to another, or a note.
    struct Row {
        enum Style: String {
            case request, answer, redirect, refusal, failure, login, note
        }

        let date: Date
        let style: Style
        let from: Lane
        /// The receiver; for a note the same as `from`.
        let to: Lane
        let text: String
        /// Short remarks below the text.
        let remarks: [String]
        /// Details that can be unfolded.
        let details: [(name: String, value: String)]
        /// Whether the row belongs to a child conversation.
        let isOfChild: Bool
    }

    /// The maximum number of columns for servers that a page has room for.
    static let maximumServers = 10

    /// The request of the conversation.
    let title: String
    /// Whether the start of the conversation was recorded.
    let hasStarted: Bool
    let start: Date
    private(set) var end: Date
    /// The final status or error; nil if the recording ended earlier.
    private(set) var outcome: (text: String, style: Row.Style)?
    private(set) var rows: [Row] = []
    /// The servers in the order of their first requests.
    private var servers: [String] = []
    private var roles: [Lane: [String]] = [:]
    private var screen: String?
    private(set) var exchangeCount = 0

    // The state while entries are added.
    private let root: String
    private let first: Transcript.Entry
    private var requests: [String: Transcript.Entry] = [:]
    private var logins: [String: Transcript.Entry] = [:]
    private var loginPages: [String: String] = [:]

    /// - Parameter entries: the entries of one conversation and its children, in order; at least one
    private init(root: String, _ entries: [Transcript.Entry], _ first: Transcript.Entry) {
        self.root = root
        self.first = first
        let own = entries.first { $0.conversation == root && $0.url != nil }
        hasStarted = entries.contains { $0.conversation == root && $0.name == .conversationStarted }
        // A conversation that only runs a login, or whose start was dropped, has no request of its own.
        title =
            own.map { "\($0.method ?? "") \($0.url ?? "")" }
            ?? "Requests to \(entries.lazy.compactMap(\.origin).first ?? "?")"
        start = first.date
        end = first.date
        if let origin = own?.origin { ask(origin, as: "server") }
        for entry in entries { add(entry) }
    }

    /// One diagram for each conversation that an application started, in order.
    static func all(in transcript: Transcript) -> [SequenceDiagram] {
        var parents: [String: String] = [:]
        for entry in transcript.entries { parents[entry.conversation] = entry.parent }
        // A recorded transcript has no circles, because parents come before their children. A decoded one may have
        // circles.
        func root(of conversation: String) -> String {
            var (id, steps) = (conversation, 0)
            while let parent = parents[id], steps < 100 { (id, steps) = (parent, steps + 1) }
            return id
        }
        var order: [String] = []
        var groups: [String: [Transcript.Entry]] = [:]
        for entry in transcript.entries {
            let id = root(of: entry.conversation)
            if groups[id] == nil { order.append(id) }
            groups[id, default: []].append(entry)
        }
        return order.compactMap { id in
            guard let entries = groups[id], let first = entries.first else { return nil }
            return SequenceDiagram(root: id, entries, first)
        }
    }

    // MARK: Columns

    /// The columns, from left to right.
    var lanes: [Lane] {
        let shown = servers.prefix(Self.maximumServers).map { Lane.server($0) }
        return [.application, .conversation] + (screen == nil ? [] : [.screen]) + shown
            + (servers.count > Self.maximumServers ? [.others] : [])
    }

    var serverCount: Int { servers.count }

    func title(of lane: Lane) -> String {
        switch lane {
        case .application: "Application"
        case .conversation: "Conversation"
        case .screen: screen ?? "Browser"
        case .server(let origin): origin
        case .others: "other servers"
        }
    }

    func roles(of lane: Lane) -> [String] { roles[lane] ?? [] }

    @discardableResult
    private mutating func ask(_ origin: String, as role: String? = nil) -> Lane {
        let index = servers.firstIndex(of: origin) ?? servers.endIndex
        if index == servers.endIndex { servers.append(origin) }
        guard index < Self.maximumServers else { return .others }
        let lane = Lane.server(origin)
        if let role, roles[lane]?.contains(role) != true { roles[lane, default: []].append(role) }
        return lane
    }

    // MARK: Rows

    private mutating func add(_ entry: Transcript.Entry) {
        end = max(end, entry.date)
        switch entry.name {
        case .conversationStarted:
            if entry.conversation == root {
                add(entry, .request, .application, .conversation, entry.requestLine, details: entry.shownRequest)
            } else if let parent = entry.parent, let login = logins[parent] {
                loginPages[entry.conversation] = login[.purpose] ?? ""
            }
        case .exchangeStarted: addRequest(entry)
        case .responseReceived: addResponse(entry)
        case .exchangeFailed:
            let server = requests[entry.conversation]?.origin.map { ask($0) } ?? .others
            add(entry, .failure, server, source(of: entry), "no answer", duration(of: entry))
            add(entry, .failure, .conversation, .conversation, entry.error ?? "failed")
        case .conversationEnded: addEnd(entry)
        case .bodyReceived: addBody(entry)
        case .webLoginStarted:
            logins[entry.conversation] = entry
            nameScreen(entry[.strategy])
            let what = "\(entry[.purpose] ?? "") login at \(entry[.origin] ?? "?")"
            add(entry, .login, .conversation, .screen, what)
        // This event names the screen if `webLoginStarted` only had the name of a type.
        case .webLoginShown: nameScreen(entry[.by])
        case .webLoginFinished:
            let took = logins.removeValue(forKey: entry.conversation).map { entry.microseconds(since: $0) }
            add(
                entry, .login, .screen, .conversation, "Login \(entry[.outcome] ?? "finished")",
                took.map { [Self.duration($0)] } ?? [])
        // The browser follows the redirects of a login's pages by itself.
        case .redirectDecided where loginPages[entry.conversation] != nil: break
        default:
            if let text = Self.note(entry) { add(entry, .note, .conversation, .conversation, text) }
        }
    }

    private mutating func add(
        _ entry: Transcript.Entry, _ style: Row.Style, _ from: Lane, _ to: Lane, _ text: String,
        _ remarks: [String] = [], details: [(name: String, value: String)] = []
    ) {
        rows.append(
            Row(
                date: entry.date, style: style, from: from, to: to, text: text, remarks: remarks, details: details,
                isOfChild: entry.conversation != root))
    }

    private mutating func addRequest(_ entry: Transcript.Entry) {
        exchangeCount += 1
        requests[entry.conversation] = entry
        var remarks = [entry.reason.map { "again: \($0)" }, entry.proxy.map { "through \($0)" }].compactMap { $0 }
        var role: String?
        if let purpose = loginPages[entry.conversation] {
            // With SAML2 and login forms, the server itself has login pages, too.
            role =
                ![LoginEvent.Purpose.saml2, .webLogin].map(\.description).contains(purpose)
                ? "login pages" : entry.origin == servers.first ? nil : "identity provider"
        } else if entry.conversation != root {
            role = entry.method == "POST" ? "token server" : nil
            remarks.append("side request")
        }
        let server = ask(entry.origin ?? "?", as: role)
        add(
            entry, .request, source(of: entry), server, entry.requestLine, remarks, details: entry.shownRequest)
    }

    private mutating func addResponse(_ entry: Transcript.Entry) {
        let server = requests[entry.conversation]?.origin.map { ask($0) } ?? .others
        let way = entry.connection
        let facts = [
            entry.version, way?.number.map { "connection \($0)" }, way?.isReused == true ? "used again" : nil,
            way?.tlsVersion, way?.peer.map { "to \($0)" },
        ]
        let connection = facts.compactMap { $0 }.joined(separator: ", ")
        add(
            entry, Self.style(of: entry.status), server, source(of: entry), entry.statusLine,
            duration(of: entry), details: entry.shown + (connection.isEmpty ? [] : [("(connection)", connection)]))
    }

    private mutating func addEnd(_ entry: Transcript.Entry) {
        let style = entry.error == nil ? Self.style(of: entry.status) : .failure
        if entry.conversation == root {
            let text = entry.error == nil ? entry.statusLine : "failed"
            outcome = (text, style)
            if let error = entry.error, rows.last?.text != error {
                add(entry, .failure, .conversation, .conversation, error)
            }
            add(entry, style, .conversation, .application, text, [Self.duration(entry.microseconds)])
        } else if let error = entry.error, rows.last?.text != error {
            add(entry, .failure, .conversation, .conversation, error)
        }
    }

    private mutating func addBody(_ entry: Transcript.Entry) {
        guard entry.conversation == root else { return }
        if let error = entry.error {
            outcome = ("failed", .failure)
            add(entry, .failure, .conversation, .conversation, error)
        } else {
            add(entry, outcome?.style ?? .answer, .conversation, .application, "\(entry.byteCount ?? 0) bytes")
        }
    }

    /// The sender of a request: the screen loads the pages of a login.
    private func source(of entry: Transcript.Entry) -> Lane {
        loginPages[entry.conversation] == nil ? .conversation : .screen
    }

    private func duration(of answer: Transcript.Entry) -> [String] {
        requests[answer.conversation].map { [Self.duration(answer.microseconds(since: $0))] } ?? []
    }

    private mutating func nameScreen(_ strategy: String?) {
        screen = strategy?.lowercased().contains("terminal") == true ? "Terminal" : screen ?? "Browser"
    }
}
