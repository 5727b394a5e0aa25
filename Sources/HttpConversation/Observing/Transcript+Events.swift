import HTTPTypes

extension Transcript.Entry {
    init(_ event: ConversationEvent) {
        let target = event.request?.target ?? event.destination
        conversation = event.conversationID.description
        parent = event.parentID?.description
        kind = event.kind.name
        microseconds = event.elapsed.microseconds
        date = event.date
        method = event.request?.method.rawValue
        url = target?.description
        origin = (target?.origin ?? event.space?.origin)?.description
        proxy = event.proxy
        status = event.response?.status.code
        reasonPhrase = event.response.map { TerminalText.sanitise($0.status.reasonPhrase, limit: 60) }
        version = event.response?.version?.description
        connection = event.response.map { Transcript.Connection($0) }
        let shown = event.request?.shownFields ?? event.response?.shownFields ?? []
        fields = shown.map { Transcript.Field(name: $0.name, value: $0.value) }
        space = event.space?.description
        filter = event.filter.map { TerminalText.sanitise($0) }
        verdict = event.verdict
        reason = event.reason.map { TerminalText.sanitise($0) }
        error = event.error?.description
        byteCount = event.byteCount ?? event.request?.bodyLength
        details = event.details.mapValues { TerminalText.sanitise($0) }
    }

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
