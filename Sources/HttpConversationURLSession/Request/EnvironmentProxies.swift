#if canImport(FoundationNetworking)
import Foundation
import HttpConversation

/// The proxies of the environment. FoundationNetworking always uses them.
enum EnvironmentProxies {
    /// Refuses a request that would go through such a proxy without the caller's consent: its owner would see the
    /// traffic (security rule S25).
    static func refuse(
        for target: TargetURL, in variables: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ConversationError) {
        let settings = ProxySettings.environmentWithLoopback(variables)
        guard try settings.proxy(for: target) == nil else {
            throw ConversationError(
                .invalidConfiguration,
                "The environment names a proxy for \(target.origin), which URLSession would use here unasked. Nothing was sent: unset the variable (http_proxy, https_proxy, all_proxy), add the host to no_proxy, or use another transport."
            )
        }
    }
}
#endif
