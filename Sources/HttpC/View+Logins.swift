// Compiled on Apple's platforms only, and not run by this project's tests, which run on Linux.
#if canImport(SwiftUI)
public import HttpConvAuthFlows
public import SwiftUI

extension View {
    /// Lets logins work while this view is shown: URLs that the system opens the application with, such as the code of
    /// an authenticator, reach the login that waits for them. Put it on the root view of each scene.
    ///
    /// ```swift
    /// WindowGroup { ContentView().httpConversationLogins() }
    /// ```
    public func httpConversationLogins(_ schemes: CustomURLSchemeManagement = .shared) -> some View {
        PlatformWebStrategies.install()
        return onOpenURL { schemes.handleOpenURL($0) }
    }
}
#endif
