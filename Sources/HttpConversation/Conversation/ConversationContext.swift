public import HTTPTypes
public import Logging
import Synchronization

/// What belongs to one conversation and survives its restarts: its id, its session and what filters remember.
///
/// Reachable from requests, responses, redirects and challenges, as filters and providers see them, from the final
/// response and from the handle; ends with the conversation. The caller can put values in before the start, such as
/// what a provider needs to show a dialog.
public final class ConversationContext: Sendable {
    /// The conversation's id.
    public let id: ConversationID
    /// The conversation that started this one, for a child: a request of a filter's own, or a page of a login.
    public let parent: ConversationContext?
    /// The conversation that the application started: this one, or for a child the topmost of its parents.
    public var root: ConversationContext { parent?.root ?? self }
    /// The id of ``parent``.
    public var parentID: ConversationID? { parent?.id }
    /// The identity on whose behalf the conversation runs.
    public let session: HttpSession
    /// The URL that this conversation was started with; that of ``root`` is the application's.
    public let target: TargetURL
    /// Logs with the conversation's id as metadata.
    public var logger: Logger {
        var logger = configuration.logger
        logger[metadataKey: "conversation"] = "\(id)"
        return logger
    }

    let snapshot: ConfigurationSnapshot
    /// The configuration that the conversation began with; the manager may have another by now.
    public var configuration: HttpConversationManager.Configuration { snapshot.value }
    let transport: any HTTPTransport
    let log: EventLog
    /// Who looks into it; nil: nobody.
    let delegates: Delegates?
    private let values = Mutex<[ObjectIdentifier: any Sendable]>([:])
    private let memories = Mutex<[(flow: ObjectIdentifier, memory: any AnyObject & Sendable)]>([])

    init(
        target: TargetURL, snapshot: ConfigurationSnapshot, transport: any HTTPTransport,
        parent: ConversationContext?, extraObservers: [any ConversationObserver],
        delegate: (any ConversationDelegate)? = nil
    ) {
        let id = ConversationID()
        self.id = id
        self.parent = parent
        self.target = target
        self.session = snapshot.value.session
        self.snapshot = snapshot
        self.transport = transport
        delegates = Delegates(delegate, snapshot.value.delegate, clock: snapshot.value.clock)
        var observers = snapshot.value.observers.elements
        if snapshot.value.logger.logLevel <= .debug { observers.append(LogObserver(snapshot.value.logger)) }
        self.log = EventLog(
            id: id, parentID: parent?.id, observers: observers, additional: extraObservers,
            clock: snapshot.value.clock)
    }

    /// What a filter remembers under its key; nil until it is set.
    public subscript<Key: ConversationContextKey>(key: Key.Type) -> Key.Value? {
        get { values.withLock { $0[ObjectIdentifier(key)] as? Key.Value } }
        set { values.withLock { $0[ObjectIdentifier(key)] = newValue } }
    }

    /// Changes what is remembered under a key in one step.
    public func update<Key: ConversationContextKey, Result: Sendable>(
        _ key: Key.Type, default initial: Key.Value, _ change: (inout Key.Value) throws -> Result
    ) rethrows -> Result {
        try values.withLock { values in
            var value = values[ObjectIdentifier(key)] as? Key.Value ?? initial
            defer { values[ObjectIdentifier(key)] = value }
            return try change(&value)
        }
    }

    /// What a flow remembers, by the object that stands for the flow and lives longer. Unlike a value under a key, it
    /// costs next to nothing: asked for before every request.
    package func memory(of flow: AnyObject) -> (any AnyObject & Sendable)? {
        memories.withLock { memories in memories.first { $0.flow == ObjectIdentifier(flow) }?.memory }
    }

    /// Keeps what a flow remembers, which had nothing so far.
    package func remember(_ memory: any AnyObject & Sendable, of flow: AnyObject) {
        memories.withLock { $0.append((ObjectIdentifier(flow), memory)) }
    }

    /// Whether an origin may get a password by Basic: not once it has offered Digest (security rule S10).
    package func sendsBasic(to origin: Origin) -> Bool {
        configuration.allowsBasicAfterDigest || !session.credentials.digestOrigins.contains(origin)
    }

    /// The same for a space, which may be a proxy's.
    package func sendsBasic(to space: ProtectionSpace) -> Bool {
        configuration.allowsBasicAfterDigest || !credentials(for: space).digestOrigins.contains(space.origin)
    }

    /// Where what is known of a space is kept.
    func credentials(for space: ProtectionSpace) -> CredentialStore {
        space.isProxy ? session.forProxies.credentials : session.credentials
    }

    /// Whether anybody observes the conversation: what is only done for events can be left out where nobody does.
    public var isObserved: Bool { log.isActive }

    /// Tells the observers something that only a flow knows of.
    ///
    /// - Parameters:
    ///   - name: tells the event apart
    ///   - details: made only where somebody observes
    public func notify(_ name: String, _ details: @autoclosure () -> [String: String] = [:]) {
        log.emit(.custom(name), { $0.details = details() })
    }

    /// Whether the conversation, or one that it starts, may show a client certificate to a server, as its filters say
    /// without asking anybody (``ChallengeFilter/presentsIdentity(to:)``). Whether there is one is found out when the
    /// server asks.
    public func presentsIdentity(to target: TargetURL) -> Bool {
        guard target.origin.scheme == .https, !snapshot.certificateFilters.isEmpty else { return false }
        let destination = CredentialDestination(target: target, callersURL: root.target)
        return snapshot.certificateFilters.contains { $0.element.presentsIdentity(to: destination) }
    }

    /// The client certificate that a server was shown last; nil where it has not asked, or there was none.
    package func shownIdentity(to target: TargetURL) -> ClientIdentity? {
        let key = IdentityRounds.Key(origin: target.origin, isMeant: presentsIdentity(to: target))
        return session.identities.round(for: key).source.answeredIdentity
    }

    /// Runs a child conversation: same transport and observers, limits and time limits, but none of the filters, except
    /// those that answer in TLS handshakes: they decide about its connections as about the parent's, and servers that
    /// were shown a client certificate are shown the same one. Unless `configure` says otherwise it has no cookies and no
    /// credentials; a session of somebody else's has no certificates of this one either. It goes through the same proxies,
    /// with what this conversation's session and filters know for them. Cancelled with the calling task.
    ///
    /// - Parameters:
    ///   - request: what is asked for
    ///   - body: what is sent; nil: nothing
    ///   - configure: adds what the child needs
    public func start(
        _ request: HTTPRequest, body: RequestBody? = nil,
        configure: (inout HttpConversationManager.Configuration) -> Void = { _ in }
    ) async throws(ConversationError) -> ConversationResponse {
        var child = configuration.withoutFilters()
        let inherited = child.challengeFilters
        configure(&child)
        if child.session.identities !== session.identities {
            // Another person shows certificates of their own (security rule S2).
            child.challengeFilters = child.challengeFilters.mapping(thoseOf: inherited) {
                $0.part(in: [.serverTrust])
            }
        }
        return try await ConversationRunner(
            transport: transport, snapshot: ConfigurationSnapshot(child), parent: self,
            extraObservers: log.additionalObservers
        ).data(for: request, body: body, prepare: { _ in })
    }
}

extension ConversationContext: CustomStringConvertible, CustomReflectable {
    /// The id; what is remembered is not shown.
    public var description: String { "conversation \(id)" }
    public var customMirror: Mirror { Mirror(self, children: ["id": "\(id)"]) }
}

/// Names a value in a ``ConversationContext``.
///
/// ```swift
/// enum VisitCount: ConversationContextKey { typealias Value = Int }
/// context[VisitCount.self] = 1
/// ```
public protocol ConversationContextKey {
    /// What is kept under the key.
    associatedtype Value: Sendable
}
