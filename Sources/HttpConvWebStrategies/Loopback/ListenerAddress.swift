import HttpConvAuthFlows
import Synchronization

/// The redirect URI of a listener, once its port is known.
final class ListenerAddress: Sendable {
    private let state = Mutex<OAuth2RedirectURI?>(nil)

    var redirectURI: OAuth2RedirectURI? { state.withLock { $0 } }
    func set(_ redirectURI: OAuth2RedirectURI) { state.withLock { $0 = redirectURI } }
}
