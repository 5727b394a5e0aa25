import Foundation
import HttpC

extension Story {
    /// The texts for events. Text of a peer is sanitised here (security rule S21).
    enum Words {
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
            if mediaType?.asciiLowercased == "application/x-www-form-urlencoded" { return "a form of \(size)" }
            return size + (mediaType.map { " of \(TerminalText.sanitise($0, limit: 80))" } ?? "")
        }

        private static func certificate(_ certificate: CertificateSummary) -> String {
            let subject = certificate.subject.isEmpty ? certificate.names.first ?? "nobody" : certificate.subject
            return "The server's certificate: \(TerminalText.sanitise(subject)), "
                + "issued by \(TerminalText.sanitise(certificate.issuer)), "
                + "valid until \(certificate.notAfter.formatted(.iso8601.year().month().day()))."
        }

        static func wait(_ event: ConversationEvent) -> String {
            let time = event.details["seconds"].map { " \($0) s" } ?? ""
            return "Waiting\(time) \(TerminalText.sanitise(event.reason ?? ""))."
        }

        static func certificate(_ event: ConversationEvent) -> String {
            let server = event.space?.origin.description ?? "The server"
            guard let subject = event.details["subject"] else {
                return "\(server) asks for a client certificate: there is none."
            }
            let name = TerminalText.sanitise(subject)
            return event.verdict == "refused"
                ? "\(server) does not accept the client certificate \(name)."
                : "\(server) asks for a client certificate and is shown \(name)."
        }

        // MARK: Challenges

        /// The login that a server wants, in plain words.
        static func login(_ space: ProtectionSpace) -> String { login(space.method, realm: space.realm) }

        static func login(_ method: AuthenticationMethod, realm: String) -> String {
            let realm = TerminalText.sanitise(realm, limit: 60)
            let place = realm.isEmpty ? "" : " for \"\(realm)\""
            switch method {
            case .basic: return "user name and password\(place) (Basic)"
            case .digest: return "user name and password\(place) (Digest)"
            case .bearer: return "an access token\(place)"
            default: return "a login\(place) by \(method)"
            }
        }

        static func challenge(_ event: ConversationEvent, _ space: ProtectionSpace) -> String {
            let who = space.isProxy ? "the proxy \(space.origin) " : ""
            let isPassword = space.method == .basic || space.method == .digest
            switch event.verdict {
            case "refused"?:
                let what = isPassword ? "user name or password" : space.method == .bearer ? "access token" : "login"
                return space.isProxy
                    ? "\(who)says wrong \(what)." : "wrong \(what)" + (isPassword ? realm(space) : "") + "."
            case "stale"?: return "\(who)wants the same once more with a newer nonce."
            default: return "\(who)wants \(login(space))."
            }
        }

        private static func realm(_ space: ProtectionSpace) -> String {
            space.realm.isEmpty ? "" : " for \"\(TerminalText.sanitise(space.realm, limit: 60))\""
        }

        static func answer(_ event: ConversationEvent) -> String? {
            let why = event.reason.map { ": \(TerminalText.sanitise($0))" } ?? ""
            switch event.verdict {
            case "refused"?: return "That is not answered" + why + "."
            case "cancel"?: return "The login was cancelled" + why + "."
            default: return nil
            }
        }

        // MARK: Redirects and pages

        /// - Parameter isPart: whether a flow inspects the target, rather than the engine
        static func redirect(_ event: ConversationEvent, isPart: Bool) -> String? {
            let place = event.destination?.description ?? "somewhere that is no URL"
            let host = event.destination?.origin.description ?? "somewhere that is no URL"
            switch (event.verdict, event.filter) {
            case ("follow"?, _): return "redirected."
            case ("stop"?, _) where isPart: return "redirected to \(place)."
            case ("stop"?, _): return "a redirect to \(place), which is not followed."
            case (_, FlowID.saml2?): return "redirected to a SAML2 login at \(host)."
            case (_, FlowID.otp?): return "redirected to a form for a one-time code at \(host)."
            default: return "redirected to \(place), which is not followed" + reason(event) + "."
            }
        }

        static func decision(_ event: ConversationEvent) -> String? {
            switch event.filter {
            case FlowID.saml2?: return "not the page, but a SAML2 login."
            case FlowID.oauth2?: return "wants an access token."
            case FlowID.csrf?: return "wants a token against forged requests (CSRF)."
            // A filter's replacement is the caller's answer.
            default: return event.verdict == "replace" ? nil : "not the answer yet" + reason(event) + "."
            }
        }

        private static func reason(_ event: ConversationEvent) -> String {
            event.reason.map { ": \(TerminalText.sanitise($0))" } ?? ""
        }

        // MARK: Logins

        static func flow(_ event: ConversationEvent) -> String? {
            let details = event.details.mapValues { TerminalText.sanitise($0) }
            let place = details["origin"] ?? details["place"] ?? "?"
            switch event.kind {
            case .custom(StoryEvent.asking): return "Asking for \(details["for"] ?? "the password") on the terminal."
            case .custom(FlowEvent.webLoginShown):
                if details["purpose"] == code {
                    return "One-time code for \(place), \(details["by"] ?? "on web pages")."
                }
                return "\(details["purpose"] ?? "?") login at \(place) \(details["by"] ?? "on web pages")."
            case .custom(FlowEvent.webLoginFinished):
                let what = details["purpose"].map { $0 == code ? "one-time code" : "\($0) login" } ?? "login"
                return details["outcome"] == "succeeded" ? "The \(what) is done." : "The \(what) did not succeed."
            case .custom(FlowEvent.tokensNeeded):
                switch details["why"] {
                case "none"?: return "There is no access token yet."
                case "ended"?: return "The access token has ended or is about to."
                default: return "The access token was refused."
                }
            case .custom(FlowEvent.tokensAsked):
                return "Asking \(details["endpoint"] ?? "?") for an access token (\(grant(event)))."
            case .custom(FlowEvent.tokensObtained):
                let life = details["lifetime"].map { ", good for \($0) s" } ?? ""
                return (details["how"] == "refreshed" ? "The access token is renewed" : "There is an access token")
                    + life + "."
            case .custom(FlowEvent.refreshRefused):
                return "The refresh token is not accepted any more: a login is needed."
            case .custom(FlowEvent.tokensSucceeded): return "The access token is accepted."
            case .custom(FlowEvent.passwordInTheClear): return "Careful: the password goes over plain http."
            case .custom(FlowEvent.passwordWithheld):
                return details["reason"] == "plainHTTP"
                    ? "Nobody is asked for a password: it would go over plain http to a server that was not named."
                    : "No password is meant for this server."
            case .custom(FlowEvent.certificateWithheld):
                return "\(place) is shown no client certificate: \(details["reason"] ?? "?")."
            default: return nil
            }
        }

        /// The flows' name for one-time codes.
        private static let code = "\(WebLogin.Purpose.otp)"

        private static func grant(_ event: ConversationEvent) -> String {
            switch event.details["grant"] {
            case "refresh_token"?: "with the refresh token"
            case "authorization_code"?: "with the code of the login"
            case "client_credentials"?: "with the client's own credentials"
            case "password"?: "with user name and password"
            default: "is the login on the other device done?"
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
