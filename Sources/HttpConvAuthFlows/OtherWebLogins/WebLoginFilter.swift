import HTTPTypes
import HttpConvConcurrency
import HttpConvFormats
import HttpConversation

/// Web logins of any kind that end in cookies: recognises the challenges that a configuration describes, runs one login
/// for all conversations that need it, and restarts them.
struct WebLoginFilter: RedirectFilter, ResponseFilter {
    let configurations: ConfigurationLookup<WebLoginConfiguration>
    let flow: WebLoginFlow

    func inspect(_ redirect: Redirect, in context: ConversationContext) async throws -> RedirectVerdict {
        flow.note(redirect)
        guard let config = try await configurations.configuration(forExchangeWith: redirect.source, in: context),
            config.isChallenge(redirect)
        else { return .follow }
        if config.opensResource { flow.dropCookies(of: redirect, in: context) }
        return .restart(reason: Self.reason, after: logIn(config, for: redirect.source, in: context))
    }

    func inspect(
        _ response: ReceivedResponse, in context: ConversationContext
    ) async throws -> ResponseVerdict {
        guard let config = try await configurations.configuration(forExchangeWith: response.target, in: context),
            try await config.isChallenge(response, in: context)
        else { return .proceed }
        if config.opensResource { flow.dropCookies(of: response, in: context) }
        return .restart(reason: Self.reason, after: logIn(config, for: response.target, in: context))
    }

    private static let reason = "web login done"

    private func key(_ config: WebLoginConfiguration, at target: TargetURL) -> WebLoginFlow.Key {
        flow.key(for: target.origin, page: config.start?.absoluteString ?? "")
    }

    private func logIn(
        _ config: WebLoginConfiguration, for target: TargetURL, in context: ConversationContext
    ) -> ConversationStep<StepOutcome> {
        let key = key(config, at: target)
        return flow.step(key, for: target, in: context) { [self] request, context in
            let other = try? await configurations.configuration(forExchangeWith: request.target, in: context)
            return other.map { self.key($0, at: request.target) == key } ?? false
        } _: { [flow] in
            guard case .navigation(let end, let parameters) = config.end else {
                let login = flow.login(to: target, from: config.start, recognising: config, in: context)
                return try await flow.show(login, in: context)
            }
            let start = config.start ?? flow.entry(of: target, in: context)
            let wanted = parameters.flatMap { FormEncoding.decode($0[...]) }
            let login = WebLogin(
                .webLogin, start: start, cookieTargets: [context.target, target, start, end], returnsCookies: true
            ) { url in
                guard let target = try? TargetURL(url) else { return false }
                return target.isAt(end) && target.hasParameters(wanted)
            }
            return try await flow.show(login, in: context)
        }
    }
}

extension WebLoginConfiguration: LoginChallenge {
    /// Whether the login opens the challenged resource again.
    fileprivate var opensResource: Bool { end == .resource && start == nil }

    /// The maximum number of bytes of a page to look at.
    private static let limit = 1 << 16

    func isChallenge(_ redirect: Redirect) -> Bool {
        challenges.contains { challenge in
            switch challenge {
            case .redirect(let place): redirect.destination?.isAt(place) ?? false
            case .loginRequest: Self.isLoginRequest(redirect)
            case .status, .header: Self.isMarked(redirect.response, by: challenge)
            case .passwordForm: false
            }
        }
    }

    func isChallenge(_ response: ReceivedResponse) async throws -> Bool {
        if challenges.contains(where: { Self.isMarked(response.head, by: $0) }) { return true }
        guard challenges.contains(.passwordForm) else { return false }
        return try await Self.asksForPassword(response)
    }

    func readsBody(of head: HTTPResponse) -> Bool {
        challenges.contains(.passwordForm)
            && head.headerFields[.contentType].flatMap(PageType.init) != nil
    }

    var isAlwaysRedirect: Bool {
        challenges.allSatisfy { challenge in
            switch challenge {
            case .redirect, .loginRequest: true
            case .status, .header, .passwordForm: false
            }
        }
    }

    private static func isMarked(_ head: HTTPResponse, by challenge: Challenge) -> Bool {
        switch challenge {
        case .status(let status): head.status.code == status
        case .header(let name, nil): head.headerFields.contains(name)
        case .header(let name, let value?): head.headerFields[values: name].contains { $0.trimmingSpaces == value }
        default: false
        }
    }

    private static func isLoginRequest(_ redirect: Redirect) -> Bool {
        guard let destination = redirect.destination, destination.origin != redirect.source.origin else { return false }
        let parameters = FormEncoding.query(of: redirect.location).filter { !$0.value.isEmpty }
        let names = Set(parameters.map(\.name))
        return names.isSuperset(of: ["response_type", "client_id"])
            || parameters.contains { $0.name == "wa" && $0.value == "wsignin1.0" }
    }

    /// Whether a page asks for the password of a person without a session. Only the beginning of pages is read; a search
    /// for the word comes first, and a parser runs only if it finds the word.
    private static func asksForPassword(_ response: ReceivedResponse) async throws -> Bool {
        guard response.request.method != .head, let contentType = response.headerFields[.contentType],
            let page = PageType(contentType)
        else { return false }
        let (chunks, isWhole) = try await response.peekChunks(upTo: limit)
        guard PageWord.password.isIn(chunks, page.widths(in: chunks)) else { return false }
        try HTMLPage.requireReader()
        let bytes = Array(chunks.joined())
        let html = HTMLPage(bytes.prefix(limit), contentType: contentType)
        return LoginPageShape(html).asksForLogin(isWhole: isWhole && !html.isCutOff)
    }
}

extension WebLoginFilter: CustomStringConvertible, CustomReflectable {
    /// The number of providers.
    var description: String { "WebLoginFilter with \(configurations.providers.count) providers" }
    var customMirror: Mirror { Mirror(self, children: ["filter": description]) }
}
