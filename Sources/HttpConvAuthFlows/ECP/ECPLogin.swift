import HTTPTypes
import HttpConvFormats
import HttpConversation

/// A login by ECP: carries a service provider's request to the identity provider, and the answer back.
struct ECPLogin: Sendable {
    /// The server that refuses a login.
    struct Place: Hashable, Sendable {
        let identityProvider: Origin
        /// The only service provider that a refusal is about; nil: all.
        var serviceProvider: Origin?
    }

    private static let longestTime = Duration.seconds(60)

    let configuration: ECPConfiguration
    /// The URL that asked for the login.
    let target: TargetURL
    private let attempts: PasswordAttempts<Place>
    private let context: ConversationContext
    /// The cookies of the person's session, with those that the service provider sets during the login.
    private let cookies: CookieStore
    /// The cookies before the login.
    private let known: Set<Cookie>

    /// - Parameter attempts: the logins at identity providers
    init(
        _ configuration: ECPConfiguration, for target: TargetURL, _ attempts: PasswordAttempts<Place>,
        in context: ConversationContext
    ) {
        self.configuration = configuration
        self.target = target
        self.attempts = attempts
        self.context = context
        cookies = context.session.cookies.emptied()
        let snapshot = context.session.cookies.snapshot
        cookies.replaceAll(with: snapshot)
        known = Set(snapshot.cookies)
    }

    /// Logs in, and gives the session the service provider's cookies.
    ///
    /// - Parameter envelope: the service provider's request; nil if it is to be fetched
    /// - Throws: ``ECPError``; the errors of ``ECPConfiguration/login``
    func perform(_ envelope: [UInt8]?) async throws {
        let bytes = if let envelope { envelope } else { try await fetch() }
        let (request, consumer) = try check(bytes)
        guard request.isConsistent else {
            try await refuse(consumer, "its request names two URLs for the answer")
        }
        let response = try await ask(request)
        guard response.consumer == request.consumer else {
            try await refuse(
                consumer, "the identity provider's answer is for another URL, or does not say for which one")
        }
        let status = try await post(response.envelope.written(header: request.replyBlocks), to: consumer)
        guard status.kind == .successful || status.kind == .redirection else {
            throw ECPError(
                .assertionRefused,
                "\(consumer.origin) does not accept the identity provider's assertion (\(status.code)): is it configured for this identity provider, and do the clocks agree?"
            )
        }
        context.session.handOver(
            cookies.snapshot.cookies.filter { cookie in
                !known.contains(cookie) && [consumer, target].contains { cookie.concerns($0.origin) }
            }, from: [consumer, target])
    }

    // MARK: The service provider's request

    /// Gets the request by a GET, because the answer to a HEAD has no body.
    private func fetch() async throws(ECPError) -> [UInt8] {
        let fields: HTTPFields = [.accept: "*/*, \(ECPNames.mediaType)", .paos: ECPNames.offer]
        return try await send(HTTPRequest(.get, target, fields: fields)) { child in
            child.session = HttpSession(cookies: cookies, for: context.session)
        }.bytes
    }

    private func check(_ bytes: [UInt8]) throws(ECPError) -> (ECPRequest, consumer: TargetURL) {
        let request: ECPRequest
        do throws(FormatFailure) { request = try ECPRequest(bytes) } catch {
            throw ECPError(
                .invalidRequest,
                "\(target.origin) asks for a SAML2 login by ECP with an envelope that cannot be used: \(error.reason).")
        }
        guard let consumer = try? TargetURL(request.consumer), consumer.userinfo == nil else {
            throw ECPError(
                .invalidRequest,
                "\(target.origin) asks for a SAML2 login by ECP, and its responseConsumerURL is not a URL.")
        }
        guard consumer.origin == target.origin || configuration.consumers.contains(consumer.origin) else {
            throw ECPError(
                .consumerDiffers,
                "\(target.origin) wants the assertion sent to \(consumer.origin), which the configuration does not name. Nothing was sent."
            )
        }
        guard consumer.origin.isSecure else {
            throw ECPError(
                .consumerDiffers,
                "\(target.origin) wants the assertion sent over plain http to another machine. Nothing was sent.")
        }
        return (request, consumer)
    }

    /// Tells the service provider that there is no assertion for it, and fails.
    private func refuse(_ consumer: TargetURL, _ reason: String) async throws(ECPError) -> Never {
        _ = try? await post(
            ECPEnvelope.fault("The responseConsumerURL and the assertion's consumer are not the same."), to: consumer)
        throw ECPError(.consumerDiffers, "No assertion was sent to \(consumer.origin): \(reason).")
    }

    // MARK: The identity provider

    private func ask(_ request: ECPRequest) async throws -> ECPResponse {
        let place = configuration.identityProvider
        let login = try await login()
        let attempt = try await attempt(of: login)
        if case .password(let login) = login {
            context.note(secrets: [login.password.value, "\(login.username):\(login.password.value)"])
        }
        var outcome = PasswordAttempts<Place>.Outcome.unknown
        defer { if let attempt { attempts.settle(attempt, outcome) } }
        let answer = try await send(
            Self.post(place, "text/xml; charset=utf-8"), request.envelope.written(), try change(for: login))
        let refused = "\(place.origin) did not log in for \(target.origin)"
        if [401, 403, 407].contains(answer.status.code) {
            // A 407 is a proxy's, and a 403 may be about this service provider.
            if answer.status.code == 401 { outcome = .refused }
            throw ECPError(
                .loginRefused, "\(refused) (\(answer.status.code)): are user name and password, or the ticket, right?")
        }
        let response: ECPResponse
        do throws(FormatFailure) { response = try ECPResponse(answer.bytes) } catch {
            throw ECPError(
                .invalidResponse,
                "\(refused): its answer (\(answer.status.code)) cannot be used: \(error.reason). Is \(place) its endpoint for ECP?"
            )
        }
        if let refusal = response.refusal(hiding: context.hidingSecrets) {
            if response.refusesLogin { outcome = .refused }
            // A fault has no code for a refused login.
            if response.isFault, case .password(let password) = login { attempts.refuse(password, at: placeForTarget) }
            throw ECPError(
                .loginRefused, "\(refused): are user name and password, or the ticket, right? It says: \(refusal)")
        }
        guard answer.status.kind == .successful else {
            throw ECPError(.invalidResponse, "\(refused): its answer has the status \(answer.status.code).")
        }
        outcome = .accepted
        return response
    }

    /// Permission to send a password; nil for tickets.
    ///
    /// - Throws: ``ECPError`` if the identity provider has refused it a short time ago
    private func attempt(of login: ECPConfiguration.Login) async throws -> PasswordAttempts<Place>.Attempt? {
        guard case .password(let password) = login else { return nil }
        let origin = configuration.identityProvider.origin
        if !attempts.isRefused(password, at: placeForTarget),
            let attempt = try await attempts.permission(for: password, at: Place(identityProvider: origin))
        {
            return attempt
        }
        throw ECPError(
            .loginRefused,
            "\(origin) has refused this user name and password before, and they are not sent there again for ten minutes: correct them."
        )
    }

    /// The place of a refusal that does not concern other service providers.
    private var placeForTarget: Place {
        Place(identityProvider: configuration.identityProvider.origin, serviceProvider: target.origin)
    }

    private func login() async throws -> ECPConfiguration.Login {
        configuration.isInteractive
            ? try await context.interact(configuration.login) : try await configuration.login()
    }

    /// The change of a child conversation that logs in to the identity provider.
    private func change(
        for login: ECPConfiguration.Login
    ) throws -> (inout HttpConversationManager.Configuration) -> Void {
        let origin = configuration.identityProvider.origin
        switch login {
        case .password(let password):
            let ahead = SentAheadFilter(passwords: [try SentAheadPassword(password, for: origin)], attempts: nil)
            return { $0.requestFilters.add(ahead) }
        case .kerberos(let kerberos):
            let provider = NamedNegotiateProvider(kerberos: kerberos, origins: [origin])
            return { child in
                child.challengeFilters.add(NegotiateFilter(providers: [provider], flow: FlowIdentity()))
            }
        }
    }

    // MARK: Requests

    private static func post(_ place: TargetURL, _ type: String) -> HTTPRequest {
        HTTPRequest(
            .post, place, fields: [.contentType: type, .accept: "text/xml, application/xml, \(ECPNames.mediaType)"])
    }

    /// Sends an envelope to the service provider, with its own cookies.
    private func post(_ bytes: [UInt8], to consumer: TargetURL) async throws(ECPError) -> HTTPResponse.Status {
        try await send(Self.post(consumer, ECPNames.mediaType), bytes) { child in
            child.session = HttpSession(cookies: cookies, for: context.session)
            child.responseFilters.add(HeadOnly())
        }.status
    }

    private func send(
        _ request: HTTPRequest, _ bytes: [UInt8]? = nil,
        _ configure: (inout HttpConversationManager.Configuration) -> Void
    ) async throws(ECPError) -> ConversationResponse {
        var request = request
        // Some servers bind a session to the program that has logged in.
        request.headerFields[.userAgent] = context.callersFields[.userAgent]
        do throws(ConversationError) {
            return try await context.start(request, body: bytes.map { .bytes($0) }) { child in
                child.redirects.follows = false
                child.maximumBodyBytes = ECPEnvelope.limit
                child.limitNetworkTime(to: Self.longestTime)
                configure(&child)
            }
        } catch {
            throw ECPError(.serverFailed, "A server did not answer in the login: \(error.message)")
        }
    }
}
