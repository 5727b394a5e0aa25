import Foundation
import HttpC
import Landscape

@testable import HttpCCommand

/// Configurations for the landscape's OAuth2 clients, and somebody who logs in at its pages.
struct OAuth2Profile {
    /// Text of `[profiles.work.oauth2]` for a client, by grant.
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

    static func person() -> DemoPerson { DemoPerson(over: NIOTransport()) }
}
