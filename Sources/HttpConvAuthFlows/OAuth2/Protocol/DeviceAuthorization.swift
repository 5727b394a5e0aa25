import HttpConvConcurrency
import HttpConvFormats
import HttpConversation

/// Polls the token endpoint while a person logs in on another device (RFC 8628).
struct DeviceAuthorization: Sendable {
    let client: OAuth2Client
    let grant: DeviceAuthorizationGrant

    private static let slowDown = Duration.seconds(5)
    private static let longestInterval = Duration.seconds(300)
    private static let longestLifetime = Duration.seconds(3600)

    private struct Started {
        let prompt: DeviceAuthorizationPrompt
        let deviceCode: Redacted<String>
        let interval: Duration
        let lifetime: Duration
    }

    func obtain() async throws -> TokenResponse {
        try await grant.presenter.prepare()
        let started = try await start()
        try await grant.presenter.present(started.prompt)
        let result: Result<TokenResponse, any Error>
        do { result = .success(try await poll(started)) } catch { result = .failure(error) }
        await grant.presenter.dismiss()
        return try result.get()
    }

    private func start() async throws -> Started {
        let answer = try await client.deviceAuthorization(at: grant.endpoint)
        let members = try answer.success()
        // Some servers use verification_url.
        guard let code = members["device_code"]?.text, let user = members["user_code"]?.text,
            let page = (members["verification_uri"] ?? members["verification_url"])?.text
        else { throw answer.error(.malformedResponse, "The answer of \(grant.endpoint) lacks a code or address.") }
        let lifetime = members["expires_in"]?.seconds(clampingTo: .seconds(1)...Self.longestLifetime) ?? .seconds(600)
        let complete = members["verification_uri_complete"]?.text
        return Started(
            prompt: DeviceAuthorizationPrompt(
                origin: grant.endpoint.origin, verificationURL: try Self.page(page, answer),
                completeURL: try complete.map { try Self.page($0, answer) },
                userCode: Redacted(TerminalText.sanitise(user, limit: 60)), lifetime: lifetime),
            deviceCode: Redacted(code),
            interval: members["interval"]?.seconds(clampingTo: .seconds(1)...Self.longestInterval) ?? .seconds(5),
            lifetime: lifetime)
    }

    /// The address for the person's browser: https, or this machine if the endpoint is there, like everywhere else.
    private static func page(_ text: String, _ answer: EndpointAnswer) throws(OAuth2Error) -> TargetURL {
        guard let target = try? TargetURL(text), target.origin.isSecure, target.userinfo == nil,
            SecureEndpoint.mayName(target.origin, at: answer.endpoint.origin)
        else {
            throw answer.error(
                .malformedResponse,
                "\(answer.endpoint) names an address for the login that is not an https URL, or is on this machine.")
        }
        return target
    }

    /// Counts the time spent waiting and receiving answers: a clock that jumps neither ends nor prolongs the login.
    private func poll(_ started: Started) async throws -> TokenResponse {
        let origin = grant.endpoint.origin
        var interval = started.interval
        var waited = Duration.zero
        var notice = Waiting.Notice()
        notice.begin("for the login with another device at \(origin)", atMost: started.lifetime)
        while waited + interval <= started.lifetime {
            try await client.requests.clock.sleep(for: interval)
            waited += interval
            let stopwatch = Stopwatch(any: client.requests.clock)
            defer { waited += stopwatch.elapsed }
            do {
                return try await client.tokens(by: .device(started.deviceCode))
            } catch let error as OAuth2Error {
                guard let next = Self.interval(after: error, interval) else { throw error }
                if next != interval {
                    interval = min(next, Self.longestInterval)
                    Waiting.announce("before \(origin) is asked again, as it wants", interval)
                }
            }
        }
        throw OAuth2Error(
            .expired, "Nobody finished the login within \(started.lifetime.components.seconds) seconds.",
            endpoint: grant.endpoint)
    }

    /// The pause before the next poll; nil if the error ends polling (RFC 8628 §3.5).
    private static func interval(after error: OAuth2Error, _ interval: Duration) -> Duration? {
        switch error.serverError {
        case "authorization_pending": return interval
        case "slow_down": return interval + slowDown
        default: break
        }
        guard error.isTemporary else { return nil }
        return max(interval * 2, error.retryAfter ?? .zero)
    }
}
