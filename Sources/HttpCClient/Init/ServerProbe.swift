import HttpC
import HttpCTerminal
import HttpConvFormats
import Synchronization

/// Finds out by safe requests which login a URL demands. It sends no credentials except the certificate of --cert,
/// which the server may ask for, and a proxy's. It keeps no cookie.
///
/// Nothing that it finds is trusted: names of other servers are shown, and used after a person has confirmed them
/// (security rules S12 and S33).
struct ServerProbe: Sendable {
    let target: TargetURL
    private let plan: ClientPlan
    private let setup: RequestSetup
    private let diagnostics: Diagnostics

    private let time = ProbeTime()
    /// The number of issuers and scopes that count.
    private static let maximumNames = 20

    init(_ plan: ClientPlan, _ target: TargetURL, _ diagnostics: Diagnostics) async throws(CommandFailure) {
        var plan = plan
        plan.maximumBodyBytes = 1 << 20
        // The filter of `find` looks at pages.
        plan.acceptsLoginPages = true
        self.plan = plan
        self.target = target
        self.diagnostics = diagnostics
        setup = try await RequestSetup(plan, for: [target], hostField: nil, nil, nil, diagnostics)
    }

    /// The answer of a server.
    struct Finding {
        /// The login that the server demands; nil if it demands none.
        let demand: LoginDemand?
        /// The status of the answer; nil after an error.
        let status: Int?
        /// The URL that demands the login. After redirects it is not the probed URL.
        let url: TargetURL
        /// The login page that the answer links to, at the same origin; nil if there is none. A peer's text.
        var loginLink: TargetURL?
        /// Whether scripts make the page, so that its login cannot be seen.
        var isMadeByScripts = false

        /// The status of a server's refusal that does not say how to log in; nil for any other answer.
        func refusal(by origin: Origin) -> Int? {
            guard url.origin == origin, let status, status == 401 || status == 403 else { return nil }
            return switch demand {
            case .unknown?, nil: status
            default: nil
            }
        }
    }

    /// The demand of the server.
    func find() async throws(CommandFailure) -> Finding {
        let refusals = LastUnauthorized()
        let likely = Mutex<RecognizedLogin?>(nil)
        let filter = RecognizedLoginFilter(passesUnauthorized: false) { login in likely.withLock { $0 = login } }
        do throws(ConversationError) {
            let stream = try await setup.open(request(target)) { configuration in
                configuration.responseFilters.add(refusals, id: "httpc.unauthorized")
                configuration.redirectFilters.add(filter, id: RecognizedLoginFilter.id)
                configuration.responseFilters.add(filter, id: RecognizedLoginFilter.id)
            }
            defer { stream.body.cancel() }
            try setup.requireNoProxyLogin(stream)
            let page = likely.withLock { $0 }.map { login -> LoginDemand in
                let place = login.provider.map { " at \($0)" } ?? ""
                return LoginPageAdvice.isScriptRedirect(login)
                    ? .unknown("a script of its page leads to a login\(place). \(LoginPageAdvice.scriptRedirect)")
                    : .page(login)
            }
            let demand = page ?? LoginDemand(stream.head)
            var finding = Finding(
                demand: demand, status: stream.status.code, url: page == nil ? stream.url : target)
            switch demand {
            case .unknown?, nil:
                guard let bytes = await start(of: stream) else { break }
                finding.loginLink = LoginRecognition.loginLink(page: bytes, of: stream.head, at: stream.url)
                finding.isMadeByScripts = Self.isMadeByScripts(bytes, stream.head)
            default: break
            }
            return finding
        } catch {
            guard let demand = LoginDemand(error, of: target) else { throw CommandFailure(error, of: setup) }
            // The answer also names the other logins that the server accepts.
            guard case .token = demand, let answer = refusals.answer else {
                return Finding(demand: demand, status: nil, url: target)
            }
            return Finding(demand: LoginDemand(answer.head) ?? demand, status: nil, url: answer.url)
        }
    }

    /// The answer of the site's start page; nil if there is none.
    func atRoot() async throws(CommandFailure) -> Finding? {
        do throws(CommandFailure) {
            return try await ServerProbe(plan, target.root, diagnostics).find()
        } catch {
            guard error.status != .usage else { throw error }
            return nil
        }
    }

    /// The start of an answer's body; nil if it does not come in time.
    private func start(of stream: ConversationStream) async -> [UInt8]? {
        await time.spend { () -> [UInt8]? in
            var start: [UInt8] = []
            do {
                for try await chunk in stream.body {
                    start += chunk
                    if start.count >= LoginRecognition.limit { break }
                }
            } catch {}
            return start
        }
    }

    /// Whether an answer is a page with scripts and hardly anything else, as far as its start tells.
    private static func isMadeByScripts(_ start: [UInt8], _ head: HTTPResponse) -> Bool {
        guard let type = head.headerFields[.contentType], type.starts(withASCIILetters: "text/html") else {
            return false
        }
        let page = HTMLPage(start, contentType: type)
        return page.hasScripts && page.forms.isEmpty && page.text.count <= 200
    }

    // MARK: OAuth2

    /// The protected resource's metadata (RFC 9728 §2). Only its own origin is asked.
    ///
    /// - Parameter named: the address of the challenge
    /// - Returns: the issuers, at most some, and the scopes; nil if there is nothing about this resource
    func resourceMetadata(
        _ named: TargetURL?
    ) async throws(CommandFailure) -> (issuers: [String], scopes: [String])? {
        let places = try resourcePlaces()
        for place in (named.map { [$0] } ?? []) + places where place.origin == target.origin {
            guard let bytes = try await document(place), case .object(let members)? = JSONValue(bytes),
                case .string(let resource)? = members["resource"], isAbout(resource)
            else { continue }
            let issuers = Self.texts(members["authorization_servers"]).filter { Self.mayName($0, at: target.origin) }
            if !issuers.isEmpty { return (issuers, Self.texts(members["scopes_supported"]).filter(Self.isScope)) }
        }
        return nil
    }

    /// The possible URLs of the metadata (RFC 9728 §3.1), the one with the resource's path first.
    private func resourcePlaces() throws(CommandFailure) -> [TargetURL] {
        let wellKnown = "/.well-known/oauth-protected-resource"
        let path = target.path == "/" ? "" : String(target.path)
        do throws(ConversationError) {
            let places = [try target.origin.url(requestTarget: wellKnown + path)]
            return path.isEmpty ? places : places + [try target.origin.url(requestTarget: wellKnown)]
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Whether metadata is about the probed URL, or about something above it.
    private func isAbout(_ resource: String) -> Bool {
        guard let other = try? ProfileMatch(resource) else { return false }
        return other.matches(target)
    }

    /// The published metadata of an issuer (RFC 8414, OpenID Connect Discovery); nil if there is none that names
    /// exactly this issuer.
    func serverMetadata(_ issuer: String) async throws(CommandFailure) -> ServerMetadata? {
        guard Self.isSecure(issuer), let url = try? TargetURL(issuer),
            let places = try? ServerMetadata.places(of: url, prefersOpenID: false)
        else { return nil }
        for place in places {
            guard let bytes = try await document(place),
                let metadata = try? ServerMetadata(bytes, issuer: issuer, at: place)
            else { continue }
            return metadata
        }
        return nil
    }

    /// Whether a text can be an issuer (OpenID Connect Discovery 1.0, §3): https, or this machine (security rule S12).
    static func isSecure(_ issuer: String) -> Bool {
        guard let url = try? TargetURL(issuer), url.userinfo == nil, url.query == nil, url.fragment == nil else {
            return false
        }
        return url.origin.isSecure
    }

    /// Whether a server may name this issuer. A server elsewhere must not make this client ask this machine.
    static func mayName(_ issuer: String, at server: Origin) -> Bool {
        guard isSecure(issuer), let origin = try? TargetURL(issuer).origin else { return false }
        // The names below localhost are this machine, too.
        return server.isLoopback || !(origin.isLoopback || origin.host.ends(withBytesOf: ".localhost"))
    }

    /// Whether a text can be a scope (RFC 6749 §3.3).
    static func isScope(_ text: String) -> Bool {
        text.utf8.count <= 200 && text.isNQChars
    }

    private static func texts(_ value: JSONValue?) -> [String] {
        guard case .array(let elements)? = value else { return [] }
        return elements.prefix(maximumNames).compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    /// A public document: no cookies, no credentials, no redirects, at most 1 MiB.
    ///
    /// - Returns: nil if there is none
    private func document(_ url: TargetURL) async throws(CommandFailure) -> [UInt8]? {
        var client = try await Client(plan.connection, nil, for: [url])
        client.configuration.redirects.follows = false
        client.configuration.maximumBodyBytes = plan.maximumBodyBytes
        let (manager, request) = (client.manager, request(url))
        return await time.spend { () -> [UInt8]? in
            guard let answer = try? await manager.data(for: request), answer.status.code == 200 else { return nil }
            return answer.bytes
        }
    }

    private func request(_ url: TargetURL) -> HTTPRequest {
        var fields = HTTPFields()
        fields[.userAgent] = plan.userAgent
        fields[.accept] = "*/*"
        return HTTPRequest(.get, url, fields: fields)
    }
}

/// The time for all documents together: a server must not make the command wait by naming many. Questions to a person
/// do not count. `LoginPageTime` does the same for login pages, but is not public.
private final class ProbeTime: Sendable {
    private let left = Mutex(Duration.seconds(60))
    /// The time for one document.
    private static let documentLimit = Duration.seconds(30)

    /// - Returns: nil when the time is over
    func spend<Value: Sendable>(_ work: @escaping @Sendable () async -> Value?) async -> Value? {
        let limit = min(Self.documentLimit, left.withLock { $0 })
        guard limit > .zero else { return nil }
        let start = ContinuousClock.now
        defer { left.withLock { $0 -= ContinuousClock.now - start } }
        return await withTaskGroup(of: Value?.self) { group in
            group.addTask { await work() }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}
