import Foundation
import HttpConvVault

extension Sandbox {
    /// Opens the vault of a profile as another process would, and closes it.
    func withVault<Result>(of profile: String, _ work: (DataVault) async throws -> Result) async throws -> Result {
        let directory = URL(filePath: path("state/httpc/\(profile)"), directoryHint: .isDirectory)
        let vault = try await DataVault.open(at: directory, key: .file(directory.appending(path: "vault.key")))
        let result = try await work(vault)
        try await vault.close()
        return result
    }

    /// The names and values of a profile's stored cookies.
    func cookies(_ profile: String) async throws -> [String] {
        struct Kept: Decodable {
            struct Cookie: Decodable {
                let name: String
                let value: String
            }
            let cookies: [Cookie]
        }
        return try await withVault(of: profile) { vault in
            guard let record = try await vault.read("cookies", in: "httpc") else { return [] }
            return try JSONDecoder().decode(Kept.self, from: Data(record.value)).cookies.map {
                "\($0.name)=\($0.value)"
            }
        }
    }
}
