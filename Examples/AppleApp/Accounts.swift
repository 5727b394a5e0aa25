import HttpC
import HttpConvLogon
import HttpConvLogonScreens
import Observation
import SwiftUI

/// The accounts of this device: which one is used, its manager, and when it is locked.
@MainActor @Observable final class Accounts {
    static let shared = Accounts()

    /// The screens that ask.
    let model = LogonModel()
    /// Nil until an account is open for the first time.
    private(set) var lifecycle: LogonLifecycle?
    /// The manager of the account in use.
    private(set) var manager: HttpConversationManager?
    /// The text for the person: a problem, or a document.
    private(set) var text = ""
    @ObservationIgnored private let dialogue: LogonAccountsDialogue

    private init() {
        let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        let directory = (support ?? .homeDirectory).appending(path: "Accounts", directoryHint: .isDirectory)
        let accounts = LogonAccounts(directory: directory) {
            Logon(application: "com.example.app", directory: $0, transport: PlatformTransport.shared)
        }
        var dialogue = LogonAccountsDialogue(accounts: accounts, view: model)
        dialogue.biometry = { logon in LogonBiometry.system(logon) }
        self.dialogue = dialogue
    }

    /// Opens the account that was used last, at the start of the application.
    func open() {
        perform { (accounts) async throws(LogonError) in
            guard accounts.lifecycle == nil else { return }
            accounts.use(try await accounts.dialogue.open())
        }
    }

    /// Shows the list, and changes to the account that the person chooses. The one before is locked.
    func change() { perform { (accounts) async throws(LogonError) in accounts.use(try await accounts.dialogue.run()) } }

    /// Lets fingerprint or face open this account from now on.
    func allowBiometry() {
        perform { (accounts) async throws(LogonError) in try await accounts.lifecycle?.logon.allowBiometry() }
    }

    func load() {
        perform { (accounts) async throws(LogonError) in
            guard let manager = accounts.manager else { return }
            do throws(ConversationError) {
                accounts.text = try await manager.get("https://mobile.example.com/document").text
            } catch { accounts.text = error.message }
        }
    }

    private func use(_ logon: Logon) {
        let unlocker = dialogue.dialogue(for: logon)
        if let lifecycle {
            lifecycle.use(logon, unlocker: unlocker)
        } else {
            lifecycle = LogonLifecycle(logon: logon, unlocker: unlocker)
        }
        manager = HttpConversationManager(logon.configurator.asking(unlocker))
    }

    private func perform(_ work: @escaping @MainActor (Accounts) async throws(LogonError) -> Void) {
        Task {
            text = ""
            do throws(LogonError) { try await work(self) } catch { text = error.message }
        }
    }
}

/// Before an account is open: its passcode, the list, or a registration.
struct StartView: View {
    let accounts: Accounts

    var body: some View {
        VStack {
            Text(verbatim: accounts.text)
            LogonSwiftUIView(accounts.model)
            Button("Accounts", role: nil) { accounts.change() }
        }
        .padding()
        .task { await MainActor.run { accounts.open() } }
    }
}

struct AccountView: View {
    let accounts: Accounts

    var body: some View {
        VStack {
            Text(verbatim: accounts.text)
            // The list, and the questions of another account's dialogue.
            LogonSwiftUIView(accounts.model)
            Button("Document of the account", role: nil) { accounts.load() }
            Button("Other account", role: nil) { accounts.change() }
            Button("Use fingerprint or face", role: nil) { accounts.allowBiometry() }
        }
    }
}
