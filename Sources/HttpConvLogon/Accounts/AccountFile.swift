import HttpConvPlatform
import HttpConvVault

/// The form of the files about accounts: JSON with a version.
enum AccountFile {
    private struct Version: Decodable {
        let version: Int
    }

    /// Refuses the file of a newer version.
    static func check(_ bytes: [UInt8], version newest: Int, _ what: String) throws(DataVaultError) {
        guard let version = try? JSONDecoder().decode(Version.self, from: Data(bytes)).version, version > newest else {
            return
        }
        throw DataVaultError(
            .unsupportedFormat, "\(what) was written by a newer version of this program: update this one.")
    }

    static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return (try? Array(encoder.encode(value))) ?? []
    }
}
