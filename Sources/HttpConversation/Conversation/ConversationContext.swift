package import HTTPTypes
public import Logging
import Synchronization

/// The state of one conversation that survives its restarts: its id, its session and filters' values.
///
/// Filters and providers reach it from requests, responses, redirects and challenges, and callers from the final
/// response and the handle. It ends with the conversation. The caller can set values before the start, such as a view
/// for a provider's dialog.
public final class ConversationContext: Sendable {
    /// The conversation's id.
    public let id: ConversationID
    /// The conversation that started this one, for a child: a request of a filter's own, or a page of a login.
    public let parent: ConversationContext?
    /// The conversation that the application started: this one, or the topmost parent of a child.
    public var root: ConversationContext { parent?.root ?? self }
    /// The id of ``parent``.
    public var parentID: ConversationID? { parent?.id }
    /// The session of the conversation.
    public let session: HttpSession
    /// The URL that this conversation was started with; ``root`` has the application's.
    public let target: TargetURL
    /// The method that this conversation was started with.
    package let callersMethod: HTTPRequest.Method
    /// The header fields that this conversation was started with.
    package let callersFields: HTTPFields
    /// A logger with the conversation's id as metadata.
    public var logger: Logger {
        var logger = configuration.logger
        logger[metadataKey: "conversation"] = "\(id)"
        return logger
    }

    let snapshot: ConfigurationSnapshot
    /// The configuration at the start of the conversation; the manager's may have changed since.
    public var configuration: HttpConversationManager.Configuration { snapshot.value }
    let transport: any HTTPTransport
    /// The events for the observers; nil: there are none.
    let log: EventLog?
    /// The conversation's delegates; nil: none.
    let delegates: Delegates?
    private let values = Mutex<[ObjectIdentifier: any Sendable]>([:])
    private let memories = Mutex(Memories())
    /// The secrets that this conversation and its children have sent: those of fields for observers only, and those that
    /// flows have noted; nil if there is nothing of either.
    private let sent = Mutex<SentFields?>(nil)

    init(
        target: TargetURL, snapshot: ConfigurationSnapshot, transport: any HTTPTransport,
        parent: ConversationContext?, extraObservers: [any ConversationObserver],
        delegate: (any ConversationDelegate)? = nil, method: HTTPRequest.Method = .get, fields: HTTPFields = [:]
    ) {
        let id = ConversationID()
        self.id = id
        self.parent = parent
        self.target = target
        callersMethod = method
        callersFields = fields
        self.session = snapshot.value.session
        self.snapshot = snapshot
        self.transport = transport
        delegates = Self.delegates(delegate, snapshot)
        let isLogged = snapshot.value.logger.logLevel <= .debug
        let observers = snapshot.observers
            .followed(by: isLogged ? [LogObserver(snapshot.value.logger)] : [])
            .followed(by: extraObservers)
        log =
            observers.isEmpty
            ? nil
            : EventLog(
                id: id, parentID: parent?.id, observers: observers, additional: extraObservers,
                clock: snapshot.value.clock)
    }

    /// Nil without delegates, which then cost a conversation nothing.
    private static func delegates(
        _ own: (any ConversationDelegate)?, _ snapshot: ConfigurationSnapshot
    ) -> Delegates? {
        let managers = snapshot.value.delegate
        guard own != nil || managers != nil else { return nil }
        return Delegates([own, managers].compactMap { $0 }, clock: snapshot.value.clock)
    }

    /// A filter's value under its key; nil until it is set.
    public subscript<Key: ConversationContextKey>(key: Key.Type) -> Key.Value? {
        get { values.withLock { $0.isEmpty ? nil : $0[ObjectIdentifier(key)] as? Key.Value } }
        set { values.withLock { $0[ObjectIdentifier(key)] = newValue } }
    }

    /// Changes the value under a key atomically.
    public func update<Key: ConversationContextKey, Result: Sendable>(
        _ key: Key.Type, default initial: Key.Value, _ change: (inout Key.Value) throws -> Result
    ) rethrows -> Result {
        try values.withLock { values in
            var value = values[ObjectIdentifier(key)] as? Key.Value ?? initial
            defer { values[ObjectIdentifier(key)] = value }
            return try change(&value)
        }
    }

    /// The state of a flow, by an object that identifies the flow and outlives the conversation. Much cheaper than a
    /// value under a key: it is read before every request.
    package func memory(of flow: AnyObject) -> (any AnyObject & Sendable)? {
        memories.withLock { $0[ObjectIdentifier(flow)] }
    }

    /// Stores the state of a flow that has none yet.
    package func remember(_ memory: any AnyObject & Sendable, of flow: AnyObject) {
        memories.withLock { $0.append(ObjectIdentifier(flow), memory) }
    }

    /// Whether an origin may get a password by Basic: false once it has offered Digest (security rule S10).
    package func sendsBasic(to origin: Origin) -> Bool {
        configuration.allowsBasicAfterDigest || !session.credentials.digestOrigins.contains(origin)
    }

    /// Whether a space, which may be a proxy's, may get a password by Basic.
    package func sendsBasic(to space: ProtectionSpace) -> Bool {
        configuration.allowsBasicAfterDigest || !credentials(for: space).digestOrigins.contains(space.origin)
    }

    /// The secrets that were sent for the conversation that the application started; nil without observers, unless a
    /// flow has noted some.
    var sentFields: SentFields? { root.sent.withLock { $0 } }

    /// Adds the secrets of an exchange: for observers, or because a message has to be without them. Keeping them costs
    /// memory.
    ///
    /// - Parameter sent: the secrets, after those so far
    /// - Returns: all secrets, with the new ones
    @discardableResult
    func note(_ sent: (SentFields?) -> SentFields) -> SentFields {
        root.sent.withLock { noted in
            let all = sent(noted)
            noted = all
            return all
        }
    }

    /// Adds secrets that are about to be sent and are not in a request's fields, such as the password of a form. The
    /// texts of servers are shown without them in this conversation, its parents and its later children (security rule
    /// S20). Words of less than six bytes are not searched for.
    package func note(secrets: [String]) {
        let secrets = secrets.filter { $0.utf8.count >= KnownSecrets.shortest }
        if !secrets.isEmpty { note { SentFields([:], others: secrets, after: $0) } }
    }

    /// A text without the known secrets that were sent for the application's conversation: those that flows have noted,
    /// those in the last request's fields if its answer is an error, and, with observers, those in all requests'
    /// fields.
    package func hidingSecrets(in text: String) -> String { sentFields?.hidden(in: text) ?? text }

    /// The configured `Host` field for a target; nil: the target's own.
    func hostField(for target: TargetURL) -> HostField? {
        configuration.hostFields.isEmpty ? nil : configuration.hostFields[target.origin]
    }

    /// The store for a space's credentials.
    func credentials(for space: ProtectionSpace) -> CredentialStore {
        space.isProxy ? session.forProxies.credentials : session.credentials
    }

    /// Whether the conversation has observers; without any, work for events can be skipped.
    public var isObserved: Bool { log != nil }

    /// Sends an event of the application's own to the observers (``CustomEvent``).
    ///
    /// - Parameters:
    ///   - name: the kind of event
    ///   - values: the details, by name; never secret. Evaluated only if there is an observer
    public func notify(_ name: String, _ values: @autoclosure () -> [String: String] = [:]) {
        log?.emit(.custom(CustomEvent(name, values())))
    }

    /// Sends an event about a login to the observers.
    ///
    /// - Parameter event: evaluated only if there is an observer
    public func notify(_ event: @autoclosure () -> LoginEvent) { log?.emit(.login(event())) }

    /// Whether the conversation, or a child, may show a client certificate to a server, according to its filters and
    /// without asking anybody (``ChallengeFilter/presentsIdentity(to:)``). Whether a certificate exists turns out when
    /// the server asks.
    public func presentsIdentity(to target: TargetURL) -> Bool {
        guard target.origin.scheme == .https, !snapshot.certificateFilters.isEmpty else { return false }
        let destination = CredentialDestination(target: target, callersURL: root.target)
        return snapshot.certificateFilters.contains { $0.element.presentsIdentity(to: destination) }
    }

    /// The client certificate that a server got last; nil if it has not asked, or there was none.
    package func shownIdentity(to target: TargetURL) -> ClientIdentity? {
        let key = IdentityRounds.Key(origin: target.origin, isMeant: presentsIdentity(to: target))
        return session.identities.round(for: key).source.answeredIdentity
    }
}

/// The states of flows in one conversation. Most have one, which needs no array.
private struct Memories: Sendable {
    typealias Memory = any AnyObject & Sendable

    private var first: (flow: ObjectIdentifier, memory: Memory)?
    private var others: [(flow: ObjectIdentifier, memory: Memory)] = []

    subscript(flow: ObjectIdentifier) -> Memory? {
        guard let first, first.flow != flow else { return first?.memory }
        return others.first { $0.flow == flow }?.memory
    }

    mutating func append(_ flow: ObjectIdentifier, _ memory: Memory) {
        if first == nil { first = (flow, memory) } else { others.append((flow, memory)) }
    }
}

extension ConversationContext: CustomStringConvertible, CustomReflectable {
    /// The id, without the values.
    public var description: String { "conversation \(id)" }
    public var customMirror: Mirror { Mirror(self, children: ["id": "\(id)"]) }
}

/// A key for a value in a ``ConversationContext``.
///
/// ```swift
/// enum VisitCount: ConversationContextKey { typealias Value = Int }
/// context[VisitCount.self] = 1
/// ```
public protocol ConversationContextKey {
    /// The type of the value.
    associatedtype Value: Sendable
}
