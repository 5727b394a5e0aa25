// A sample application for iOS and macOS: documents of servers whose logins come up by themselves, and several accounts
// of a mobile server, locked by a passcode, or fingerprint or face. It was type-checked on Linux (scripts/check-apple),
// and has not run.
import HttpC
import SwiftUI

@main struct AppleApp: App {
    var body: some Scene {
        WindowGroup { RootView(accounts: Accounts.shared).httpConversationLogins() }
    }
}

/// Everything that a person may see only while the account in use is open.
struct RootView: View {
    let accounts: Accounts

    var body: some View {
        if let lifecycle = accounts.lifecycle {
            VStack {
                DocumentView()
                AccountView(accounts: accounts)
            }
            .padding()
            .logonLifecycle(lifecycle, model: accounts.model) { accounts.change() }
        } else {
            StartView(accounts: accounts)
        }
    }
}

/// The manager for servers without accounts on this device.
enum Server {
    static let manager = HttpConversationManager(
        // The redirect URI is the bundle identifier as a scheme on iOS, and a listener on macOS: register both.
        .oauth2(issuer: "https://login.example.com", clientID: "native", for: "https://api.example.com"),
        .saml2(for: "https://sp.example.com"))
}

struct DocumentView: View {
    @State private var text = ""
    @State private var isLoading = false

    var body: some View {
        VStack {
            Text(verbatim: text)
            Button("Behind OAuth2", role: nil) { load("https://api.example.com/document") }.disabled(isLoading)
            Button("Behind SAML2", role: nil) { load("https://sp.example.com/document") }.disabled(isLoading)
        }
    }

    private func load(_ url: String) {
        isLoading = true
        Task {
            defer { isLoading = false }
            do throws(ConversationError) {
                text = try await Server.manager.get(url).text
            } catch {
                text = error.message
            }
        }
    }
}
