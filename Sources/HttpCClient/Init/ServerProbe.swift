import HttpC
import HttpCTerminal
import HttpConvFormats
import Synchronization

/// Finds out by safe requests which login a URL demands. It sends no credentials, and keeps no cookie.
///
/// Nothing that it finds is trusted: names of other servers are shown, and used after a person has confirmed them
/// (security rules S12 and S33).
struct ServerProbe: Sendable {
    let target: TargetURL
    private let plan: ClientPlan
    private let setup: RequestSetup

    /// The time for one answer.
    private static let patience = Duration.seconds(30)
    /// The number of issuers and scopes that count.
    private static let maximumNames = 20

    init(_ plan: ClientPlan, _ target: TargetURL, _ diagnostics: Diagnostics) async throws(CommandFailure) {
        var plan = plan
        plan.maximumBodyBytes = 1 << 20
        // The filter of `find` looks at pages.
        plan.acceptsLoginPages = true
        self.plan = plan
        self.target = target
        setup = try await RequestSetup(plan, for: [target], hostField: nil, nil, nil, diagnostics)
    }

    /// The demand of the server; nil if it answers without one.
    func find() async throws(CommandFailure) -> (demand: LoginDemand?, status: Int?) {
        let likely = Mutex<RecognizedLogin?>(nil)
        let filter = RecognizedLoginFilter(passesUnauthorized: false) { login in likely.withLock { $0 = login } }
        do throws(ConversationError) {
            let stream = try await setup.open(request(target)) { configuration in
                configuration.redirectFilters.add(filter, id: RecognizedLoginFilter.id)
                configuration.responseFilters.add(filter, id: RecognizedLoginFilter.id)
            }
            stream.body.cancel()
            let demand = likely.withLock { $0 }.map { LoginDemand.page($0) } ?? LoginDemand(stream.head)
            return (demand, stream.status.code)
        } catch {
            guard let demand = LoginDemand(error, of: target) else { throw CommandFailure(error, of: setup) }
            return (demand, nil)
        }
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
            let issuers = Self.texts(members["authorization_servers"]).filter(Self.isSecure)
            if !issuers.isEmpty { return (issuers, Self.texts(members["scopes_supported"]).filter(Self.isScope)) }
        }
        return nil
    }

    /// Where the metadata is (RFC 9728 §3.1), the resource's path first.
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

    /// The published metadata of an issuer (RFC 8414, OpenID Connect Discovery); nil if there is none that names exactly
    /// this issuer.
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

    /// Whether a text can be a scope (RFC 6749 §3.3).
    static func isScope(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 200
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
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
        let answer = await Self.within(Self.patience) { () -> [UInt8]? in
            guard let answer = try? await manager.data(for: request), answer.status.code == 200 else { return nil }
            return answer.bytes
        }
        return answer ?? nil
    }

    private func request(_ url: TargetURL) -> HTTPRequest {
        var fields = HTTPFields()
        fields[.userAgent] = plan.userAgent
        fields[.accept] = "*/*"
        return HTTPRequest(.get, url, fields: fields)
    }

    /// - Returns: nil when the time is over
    private static func within<Value: Sendable>(
        _ limit: Duration, _ work: @escaping @Sendable () async -> Value
    ) async -> Value? {
        await withTaskGroup(of: Value?.self) { group in
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
