import Foundation
import HttpC
import HttpConvVault
import HttpConvVaultStorage
import HttpConversationNIO
import TestLandscape

@testable import HttpCDemo

/// Configurations for the landscape's OAuth2 clients, and a person who logs in at its pages.
struct OAuth2Profile {
    /// The text of `[profiles.work.oauth2]` for a client, by grant.
    static func table(_ grant: String, _ landscape: Landscape, _ more: String = "") -> String {
        let keys =
            switch grant {
            case "client-credentials": "client-id = \"machine\"\nclient-secret-env = \"SECRET\""
            case "password": "client-id = \"native\"\nusername = \"alice\"\npassword-env = \"PASSWORD\""
            case "device": "client-id = \"tv\""
            default: "client-id = \"native\"\nscopes = [\"openid\", \"read\"]"
            }
        return """
            [profiles.work.oauth2]
            grant = "\(grant)"
            issuer = "\(landscape.issuer())"
            \(keys)
            \(more)
            """
    }

    static let secrets = ["SECRET": "machine-secret", "PASSWORD": "wonderland"]

    /// Writes a configuration whose profile `work` is for `/api` of the landscape.
    static func install(_ grant: String, _ landscape: Landscape, in sandbox: Sandbox, _ more: String = "") throws {
        let text = "[profiles.work]\nmatch = [\"\(landscape.urlString(.main, "/api"))\"]\n"
        try sandbox.write(text + table(grant, landscape, more), to: "config/httpc/config.toml")
    }

    /// Ends the stored access tokens of a sandbox now, by the client's clock.
    static func endTokens(in sandbox: Sandbox) async throws {
        let directory = URL(filePath: sandbox.path("state/httpc/work"), directoryHint: .isDirectory)
        let vault = try await DataVault.open(at: directory, key: .file(directory.appending(path: "vault.key")))
        let storage = VaultTokenStorage(vault)
        for key in try await storage.keys() {
            guard let tokens = try await storage.tokens(for: key) else { continue }
            try await storage.save(
                OAuth2Tokens(
                    accessToken: tokens.accessToken.value, refreshToken: tokens.refreshToken?.value,
                    expiresAt: Date() - 1, receivedAt: Date() - 60), for: key)
        }
        try await vault.close()
    }

    static func person() -> DemoPerson { DemoPerson(over: NIOTransport()) }
}
