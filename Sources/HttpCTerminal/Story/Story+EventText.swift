import HttpC
import HttpConvFormats
import HttpConvPlatform

extension Story {
    /// The texts for events. Text of a peer is sanitised here (security rule S21).
    enum EventText {
        // MARK: Connections and answers

        static func status(_ response: ObservedResponse) -> String {
            let reason = TerminalText.sanitise(response.status.reasonPhrase, limit: 60)
            return "\(response.status.code)" + (reason.isEmpty ? "" : " \(reason)")
        }

        /// The line about a new connection.
        static func connection(_ response: ObservedResponse, throughProxy: Bool) -> [Line] {
            guard let made = response.connection, !response.reusedConnection else { return [] }
            var text = throughProxy ? "Connected to the proxy" : "Connected"
            text += made.peer.map { throughProxy ? " \($0)" : " to \($0)" } ?? ""
            text += made.connectTime.map { " in \(Story.milliseconds($0))" } ?? ""
            if let version = made.tlsVersion {
                text += throughProxy ? ", through it \(version)" : ", \(version)"
                text += made.tlsTime.map { " in \(Story.milliseconds($0))" } ?? ""
            }
            text += response.version.map { ", \($0)" } ?? ""
            return [.said(text + ".")] + (made.certificate.map { [.once(certificate($0))] } ?? [])
        }

        /// The size and type of a body; nil for an empty one.
        static func body(_ count: Int, _ mediaType: String?) -> String? {
            guard count > 0 else { return nil }
            let size = "\(count) \(count == 1 ? "byte" : "bytes")"
            if mediaType == FormEncoding.mediaType { return "a form of \(size)" }
            return size + (mediaType.map { " of \(TerminalText.sanitise($0, limit: 80))" } ?? "")
        }

        private static func certificate(_ certificate: CertificateSummary) -> String {
            let subject = certificate.subject.isEmpty ? certificate.names.first ?? "nobody" : certificate.subject
            return "The server's certificate: \(TerminalText.sanitise(subject)), "
                + "issued by \(TerminalText.sanitise(certificate.issuer)), "
                + "valid until \(certificate.notAfter.formatted(.iso8601.year().month().day()))."
        }

        static func wait(_ wait: ConversationEvent.Wait) -> String {
            let time = wait.seconds.map { " \($0) s" } ?? ""
            return "Waiting\(time) \(TerminalText.sanitise(wait.reason))."
        }

        static func certificate(_ use: ConversationEvent.CertificateUse) -> String {
            guard let certificate = use.certificate else {
                return "\(use.origin) asks for a client certificate: there is none."
            }
            let name = TerminalText.sanitise(certificate.subject)
            return use.verdict == .refused
                ? "\(use.origin) does not accept the client certificate \(name)."
                : "\(use.origin) asks for a client certificate and is shown \(name)."
        }

        // MARK: Challenges

        /// The login that a server wants, in plain words.
        static func login(_ space: ProtectionSpace) -> String { login(space.method, realm: space.shownRealm) }

        static func login(_ method: AuthenticationMethod, realm: String) -> String {
            let realm = TerminalText.sanitise(realm, limit: 60)
            let place = realm.isEmpty ? "" : " for \"\(realm)\""
            switch method {
            case .basic: return "user name and password\(place) (Basic)"
            case .digest: return "user name and password\(place) (Digest)"
            case .bearer: return "an access token\(place)"
            case .negotiate: return "a Kerberos ticket\(place) (Negotiate)"
            default: return "a login\(place) by \(method)"
            }
        }

        static func challenge(_ challenge: ConversationEvent.Challenge) -> String {
            let space = challenge.space
            let who = space.isProxy ? "the proxy \(space.origin) " : ""
            let isPassword = space.method == .basic || space.method == .digest
            switch challenge.verdict {
            case .refused:
                let what =
                    isPassword
                    ? "user name or password"
                    : space.method == .bearer
                        ? "access token" : space.method == .negotiate ? "Kerberos ticket" : "login"
                return space.isProxy
                    ? "\(who)says wrong \(what)." : "wrong \(what)" + (isPassword ? realm(space) : "") + "."
            case .stale: return "\(who)wants the same once more with a newer nonce."
            case nil: return "\(who)wants \(login(space))."
            }
        }

        private static func realm(_ space: ProtectionSpace) -> String {
            space.realm.isEmpty ? "" : " for \"\(space.shownRealm)\""
        }

        static func answer(_ decision: ConversationEvent.ChallengeDecision) -> String? {
            switch decision.verdict {
            case .refused: "This challenge is not answered" + why(decision.reason) + "."
            case .cancel: "The login was cancelled" + why(decision.reason) + "."
            case .use, .retry, .notHandled: nil
            }
        }

        // MARK: Redirects and pages

        /// - Parameter isPart: whether a flow inspects the target, rather than the engine
        static func redirect(_ decision: ConversationEvent.RedirectDecision, isPart: Bool) -> String {
            let place = decision.destination?.description ?? "somewhere that is not a URL"
            let origin = decision.destination?.origin.description
            // Without its origin, the URL is of a server whose name repeats a secret.
            let host = origin.flatMap { place.hasPrefix($0) ? $0 : nil } ?? place
            switch (decision.verdict, decision.filter) {
            case (.follow, _): return "redirected."
            case (.stop, _) where isPart: return "redirected to \(place)."
            case (.stop, _): return "a redirect to \(place), which is not followed."
            case (_, FlowID.saml2?): return "redirected to a SAML2 login at \(host)."
            case (_, FlowID.webLogin?): return "redirected to a login at \(host)."
            case (_, FlowID.otp?): return "redirected to a form for a one-time code at \(host)."
            default: return "redirected to \(place), which is not followed" + why(decision.reason) + "."
            }
        }

        static func decision(_ decision: ConversationEvent.ResponseDecision) -> String? {
            switch decision.filter {
            case FlowID.saml2, FlowID.ecp: "not the page, but a SAML2 login."
            case FlowID.webLogin: "not the page, but a login."
            case FlowID.oauth2: "wants an access token."
            case FlowID.csrf: "wants a token against forged requests (CSRF)."
            // A filter's replacement is the caller's answer.
            default: decision.verdict == .replace ? nil : "not the answer yet" + why(decision.reason) + "."
            }
        }

        private static func why(_ reason: String?) -> String {
            reason.map { ": \(TerminalText.sanitise($0))" } ?? ""
        }

        // MARK: Logins

        static func login(_ event: LoginEvent) -> String? {
            switch event {
            case .passwordGiven, .webLoginStarted: nil
            case .personAsked(let what): "Asking for \(TerminalText.sanitise(what)) on the terminal."
            case .webLoginShown(.otp, let origin, let by):
                "One-time code for \((origin?.description ?? "another application")), \(TerminalText.sanitise(by))."
            case .webLoginShown(.webLogin, let origin, let by):
                "Login at \((origin?.description ?? "another application")) \(TerminalText.sanitise(by))."
            case .webLoginShown(let purpose, let origin, let by):
                "\(purpose) login at \((origin?.description ?? "another application")) \(TerminalText.sanitise(by))."
            case .webLoginFinished(let purpose, _, _, let outcome):
                "The \(name(of: purpose)) " + (outcome == .succeeded ? "is done." : "did not succeed.")
            case .tokensNeeded(.missing): "There is no access token yet."
            case .tokensNeeded(.ended): "The access token has ended or is about to."
            case .tokensNeeded(.refused): "The access token was refused."
            case .tokensAsked(let endpoint, let grant):
                "Asking \(TerminalText.sanitise("\(endpoint)")) for an access token (\(way(of: grant)))."
            case .tokensObtained(let isRefresh, let lifetime):
                (isRefresh ? "The access token is renewed" : "There is an access token")
                    + (lifetime.map { ", good for \($0) s" } ?? "") + "."
            case .refreshRefused: "The refresh token is not accepted any more: a login is needed."
            case .tokensSucceeded: "The access token is accepted."
            case .storageFailed(.write, let code):
                "New tokens could not be stored (\(code)): they are kept in memory, and written as soon as that works."
            case .storageFailed(let operation, let code):
                "The storage of tokens failed: \(operation.rawValue) (\(code))."
            case .passwordInTheClear: "Careful: the password goes over plain http."
            case .passwordWithheld(_, .plainHTTP):
                "Nobody is asked for a password: it would go over plain http to a server that was not named."
            case .passwordWithheld(_, .otherServer): "No password is meant for this server."
            case .ticketGiven(let space, let principal):
                "\(space.origin) gets a Kerberos ticket"
                    + (principal.map { " of \(TerminalText.sanitise($0, limit: 80))" } ?? "") + "."
            case .ticketUnavailable(_, let reason):
                "No Kerberos ticket is of use: \(TerminalText.sanitise(reason, limit: 400))"
            case .certificateWithheld(let origin, let reason):
                "\(origin) is shown no client certificate: \(TerminalText.sanitise(reason))."
            }
        }

        private static func name(of purpose: LoginEvent.Purpose) -> String {
            purpose == .otp ? "one-time code" : "\(purpose) login"
        }

        private static func way(of grant: LoginEvent.Grant) -> String {
            switch grant {
            case .refreshToken: "with the refresh token"
            case .authorizationCode: "with the code of the login"
            case .clientCredentials: "with the client's own credentials"
            case .password: "with user name and password"
            case .deviceCode: "is the login on the other device done?"
            case .jwtBearer, .saml2Bearer: "with an assertion"
            case .tokenExchange: "in exchange for another token"
            }
        }

        // MARK: Text

        static func list(_ parts: [String], by last: String = "and") -> String {
            parts.count < 2
                ? parts.joined() : parts.dropLast().joined(separator: ", ") + " \(last) " + (parts.last ?? "")
        }

        static func capitalised(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
    }
}
