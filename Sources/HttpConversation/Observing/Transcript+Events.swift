import HTTPTypes

extension Transcript.Entry {
    package init(_ event: ConversationEvent) {
        conversation = event.conversationID.description
        parent = event.parentID?.description
        kind = event.kind.name
        microseconds = event.elapsed.microseconds
        date = event.date
        error = event.error?.description
        add(event.request)
        add(event.response)
        add(event.space)
        switch event.kind {
        case .attemptStarted(let why): add(reason: why)
        case .exchangeStarted(let start):
            proxy = start.proxy
            add(reason: start.repetition)
        case .redirectDecided(let decision):
            add(decision.destination)
            add(decision.verdict.rawValue, by: decision.filter, reason: decision.reason)
        case .challengeReceived(let challenge): verdict = challenge.verdict?.rawValue
        case .challengeAnswered(let decision):
            add(decision.verdict.rawValue, by: decision.filter, reason: decision.reason)
        case .responseDecided(let decision):
            add(decision.verdict.rawValue, by: decision.filter, reason: decision.reason)
        case .bodyReceived(.success(let count)): byteCount = count
        case .clientCertificateUsed(let use):
            verdict = use.verdict.rawValue
            add(
                use.certificate.map { [.subject: $0.subject, .fingerprint: $0.fingerprintText] } ?? [:])
        case .waiting(let wait):
            add(reason: wait.reason)
            add(wait.seconds.map { [.seconds: "\($0)"] } ?? [:])
        case .login(let event): add(event.nameAndDetails.details)
        case .custom(let event): details = event.values
        default: break
        }
    }

    private mutating func add(_ request: ObservedRequest?) {
        guard let request else { return }
        method = request.method.rawValue
        byteCount = request.bodyLength
        add(request.target)
        add(request.shownFields)
    }

    private mutating func add(_ response: ObservedResponse?) {
        guard let response else { return }
        status = response.status.code
        reasonPhrase = TerminalText.sanitise(response.status.reasonPhrase, limit: 60)
        version = response.version?.description
        connection = Transcript.Connection(response)
        add(response.shownFields)
    }

    private mutating func add(_ target: TargetURL?) {
        url = target?.description
        origin = target?.shownOrigin
    }

    private mutating func add(_ space: ProtectionSpace?) {
        guard let space else { return }
        self.space = space.description
        origin = space.origin.description
    }

    private mutating func add(_ shown: [(name: String, value: String)]) {
        fields = shown.map { Transcript.Field(name: $0.name, value: $0.value) }
    }

    private mutating func add(_ verdict: String, by filter: String?, reason: String?) {
        self.verdict = verdict
        self.filter = filter.map { TerminalText.sanitise($0) }
        add(reason: reason)
    }

    private mutating func add(reason: String?) { self.reason = reason.map { TerminalText.sanitise($0) } }

    private mutating func add(_ details: [EventDetail: String]) {
        for (name, value) in details { self.details[name.rawValue] = TerminalText.sanitise(value) }
    }

    /// The event on one line.
    var line: String {
        let isRequest = method != nil
        let parts: [String?] = [
            kind, method, isRequest ? url : nil, proxy.map { "through \($0)" }, status.map(String.init), reasonPhrase,
            space, isRequest ? nil : url.map { "to \($0)" }, verdict.map { "verdict \($0)" }, filter.map { "by \($0)" },
            reason.map { "(\($0))" }, isRequest ? nil : byteCount.map { "\($0) bytes" }, detailText, error,
        ]
        return parts.compactMap { $0?.isEmpty == false ? $0 : nil }.joined(separator: " ")
    }

    /// The details as `name=value`, in order.
    var detailText: String { details.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ") }

    /// About how much memory it takes, in bytes.
    var size: Int {
        let texts = [url, space, filter, reason, error].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
        return 500 + texts + fields.reduce(0) { $0 + 50 + $1.name.utf8.count + $1.value.utf8.count }
            + details.reduce(0) { $0 + 50 + $1.key.utf8.count + $1.value.utf8.count }
    }
}

extension Transcript.Connection {
    init(_ response: ObservedResponse) {
        number = response.connection?.number
        isReused = response.reusedConnection
        peer = response.connection?.peer
        tlsVersion = response.connection?.tlsVersion
        connectMicroseconds = response.connection?.connectTime?.microseconds
        tlsMicroseconds = response.connection?.tlsTime?.microseconds
    }
}

extension Duration {
    fileprivate var microseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
}
