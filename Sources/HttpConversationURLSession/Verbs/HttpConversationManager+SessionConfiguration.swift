import HTTPTypes
import HttpConvFiles
public import HttpConversation

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension HttpConversationManager {
    /// Creates a manager over a ``URLSessionTransport`` with the settings of a session, for both the transport and
    /// conversations; see ``/HttpConversation/HttpConversationManager/Configuration/takeOver(_:)``.
    ///
    /// The public suffix list defaults to the platform's. An application of `HttpC` calls `PlatformWebStrategies.install()`
    /// before the first login of such a manager.
    ///
    /// With the configuration of a background session, the verbs for files leave the transfer to the system, after a
    /// login in the foreground: see ``/HttpConversation/HttpConversationManager/backgroundTransfers``. Then
    /// `background` has the settings that a `URLSessionConfiguration` does not have. Its identifier, and the settings
    /// that the session's configuration has, too, are ignored.
    public convenience init(
        _ configuration: URLSessionConfiguration, background: BackgroundTransfers.Configuration? = nil,
        _ configurators: any ManagerConfigurator...
    ) {
        var own = Configuration(applying: configurators)
        own.takeOverSettings(configuration)
        own.publicSuffixes = own.publicSuffixes ?? .system
        let background = configuration.identifier.map { identifier in
            var settings = background ?? BackgroundTransfers.Configuration(identifier: identifier)
            settings.identifier = identifier
            #if !canImport(FoundationNetworking)
            settings.applicationGroup = configuration.sharedContainerIdentifier ?? settings.applicationGroup
            #endif
            return BackgroundTransfers(settings, configuration)
        }
        #if canImport(FoundationNetworking)
        var settings = URLSessionTransport.Configuration()
        settings.maximumConnectionsPerHost = max(1, configuration.httpMaximumConnectionsPerHost)
        if configuration.connectionProxyDictionary?.isEmpty == false {
            own.report(
                ConversationError(
                    .invalidConfiguration,
                    "The URLSessionConfiguration has a connectionProxyDictionary, which URLSession does not use here: say proxies by the manager's configuration, over another transport."
                ))
        }
        #else
        let settings = URLSessionTransport.Configuration(configuration)
        // The transport handles proxies: the system's settings, or those of the dictionary.
        own.proxies = .none
        #endif
        self.init(transport: URLSessionTransport(settings, background: background), configuration: own)
        hearOfEarlierTransfers()
    }
}

extension HttpConversationManager.Configuration {
    /// Takes over the settings of a session's configuration that are about conversations.
    ///
    /// - `timeoutIntervalForRequest` sets ``connectTimeout`` and ``idleTimeout``, `timeoutIntervalForResource` sets
    ///   ``networkTimeout``: waiting for a person does not count.
    /// - `httpAdditionalHeaders` are added to requests that lack the field. They are not sent to other servers on
    ///   redirects.
    /// - If the session accepts or sends no cookies, ``handlesCookies`` is off.
    ///
    /// Networks, proxies and connections are settings of the transport (`URLSessionTransport.Configuration`). Its
    /// stores of credentials and cookies are not used: the manager has its own. An invalid time limit, a background
    /// session, and a setting that has no equivalent here and is not as usual, such as versions of TLS, several
    /// networks at once, a service type, protocol classes or a cache, are reported as problems (``problems``).
    public mutating func takeOver(_ configuration: URLSessionConfiguration) {
        guard configuration.identifier == nil else {
            return report(
                problem(
                    "is one of a background session, which another transport cannot have: create the manager with it, or see BackgroundTransfers."
                ))
        }
        takeOverSettings(configuration)
    }

    fileprivate mutating func takeOverSettings(_ configuration: URLSessionConfiguration) {
        if let limit = limit(configuration.timeoutIntervalForRequest, "timeoutIntervalForRequest") {
            connectTimeout = limit
            idleTimeout = limit
        }
        if let limit = limit(configuration.timeoutIntervalForResource, "timeoutIntervalForResource") {
            networkTimeout = limit
        }
        if configuration.httpCookieAcceptPolicy == .never || !configuration.httpShouldSetCookies {
            handlesCookies = false
        }
        addFields(configuration.httpAdditionalHeaders ?? [:])
        let usual = SessionSettings(URLSessionConfiguration.default)
        for words in SessionSettings(configuration).problems(usual: usual) { report(problem(words)) }
    }

    private mutating func limit(_ seconds: TimeInterval, _ name: String) -> Duration? {
        let limit = Duration(interval: seconds)
        if limit == nil { report(problem("has no time limit in \(name).")) }
        return limit
    }

    private mutating func addFields(_ headers: [AnyHashable: Any]) {
        var fields = HTTPFields()
        for (name, value) in headers {
            guard let name = name as? String, let text = Self.text(value) else {
                report(problem("has something in httpAdditionalHeaders that is not a header field."))
                continue
            }
            do throws(ConversationError) {
                fields.append(try HTTPField(checking: name, text))
            } catch {
                report(problem("has something in httpAdditionalHeaders that cannot be sent. \(error.message)"))
            }
        }
        if !fields.isEmpty {
            add(AdditionalFields(fields: fields), id: "URLSessionConfiguration.httpAdditionalHeaders")
        }
    }

    private static func text(_ value: Any) -> String? {
        switch value {
        case let text as String: text
        case let number as Int: "\(number)"
        case let number as NSNumber: number.stringValue
        default: nil
        }
    }

    private func problem(_ what: String) -> ConversationError {
        ConversationError(.invalidConfiguration, "The URLSessionConfiguration \(what)")
    }
}

/// Adds fields to requests that lack them. A request of another filter's may go to a server that a redirect led to; that
/// one gets no field that may be secret (security rule S8).
private struct AdditionalFields: RequestFilter {
    let fields: HTTPFields

    func prepare(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
        let known = request.headerFields
        let secret = isForAll(request, context) ? [] : CredentialPolicy.namesOfSecrets(in: fields)
        for field in fields where !known.contains(field.name) && !secret.contains(field.name.canonicalName) {
            request.headerFields.append(field)
        }
    }

    /// Whether a request goes to the caller's own server, or to one that gets all of the caller's fields.
    private func isForAll(_ request: ConversationRequest, _ context: ConversationContext) -> Bool {
        let origin = request.target.origin
        return origin == context.root.target.origin
            || context.configuration.credentials.trustedOrigins.contains(origin)
    }
}
