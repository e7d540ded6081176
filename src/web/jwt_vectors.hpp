// Keys and tokens that PyJWT 2.6.0 (python3-jwt of Debian 12) has made: what this library verifies and signs is
// compared with them. Claims: {"iss":"https://id.example","aud":"shop","exp":2000000000,"sub":"anna"}.
#pragma once

#include <tern/web/jwt.hpp>

#include <string_view>

namespace tern::web::vectors {

inline constexpr std::string_view secret = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

inline constexpr std::string_view rsa_private = R"(-----BEGIN PRIVATE KEY-----
MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQClOG7W2Bml4wmy
5CRxEe8dh4guIkkBG8A2GFsWK7rmnj66yGVML+HnLk/muf+dBx8NThMtLaL7Upl7
/pp8jUQeaqtSWloCrFGMEDC2pG0tG2hHyOt+fUJOBOxP+rQlgbES+OA4hklxUPgn
ITGVd886rMUDx1kM+/pCln5zlueSgn9GCtRXjM1Ny1dpbL8wUvDheImYv3sJT9iw
ssRTsYzim+R+TOe41SaUbKdkB3LhE1ChnxFqoPX/Vu6RxByRVmLkepN7Q4uk6K91
gn2CF+BdZP3Yje/VOJ9v6zGM75w0/TwNs0/Hj1oCLFtpdGzQ0ULKBXX6Wqbb/wpx
jgFeb7f7AgMBAAECggEAAtokilo/UcPHk7+oeWM2iNX2yIUYVDKRxjKexT/gAWx9
52TfisnQ0S2AJ5rSX3g+AFF2t0hFu1JDtVuXIyCf1RPrp9zzbNRjW/2eOajrpuRa
5Sesw7Q52XWa9rknNEvhg1L/MTqa40qN3hm5QhFIEdqQVBkJioCBuMs28kaKnNbT
bI+ezMpvwarD59zcKt8n7wgdEWUcdBpePXnQ34v7ON+X4sJQ5mN/UeTHHLr/WLTE
MI2eruzgMW8NIB5sbjjMwjyaEcwIl777BraIcVPDJAq+tr/stGM3EQqeYhxzPxqV
swv8oA8kKdFTpgGUqbR7PZnxYGMLbSFDhcY206KiYQKBgQDVq3ZnPid+F8M9dpnk
9OGRxjgfirp6PgN6CS96lTODNFOzDDWjIE+luqkYdnS0FbDHf06MqIj/WcFwkqUO
dmFPU7Yf4osNBPqO2Jc7t7Fa0iGUDswfBCUdpmVGRf0bBP9v81RWqxQltgj5K2fd
v2t3KLa5IerRAe200z/wJpEQSQKBgQDF88zW5+/4v34qjSAVRuj3uosQjvWmdZPy
rYjKapMiYNwpEaY0S37ugj8IBkndfCkovbzanzH1hVI8Qs5f34tBpKyMGHiYUeJW
PFIuD3IIE8/9SYmFBGKHAlDML9Qtac6MhprJIQ9LAqL6AIYloahCVXYw7cNM1iPk
i1tbeQKOIwKBgE+6/qDB4ay8oz8hLYXxFub1h2XFt5X75AI6wTvFxwYTlZP/X1hy
qyXVhFm7ggrc+S1IRQBZt11JmdQu9GZ0KBWY0CIPwAFotTJugehnwEd6l8sOxn5g
ZpUszSeu4Caf881LiFIa3pa/2ZNY7hYh4rEBQUXN8Thytse9+GLdkU35AoGAC5SZ
tTDYbxr0zJR4/gWp92QoYo2afWR/hUD1sbHObcJw3s4zhPets1JXUabch2KOHd4L
wFZz28My7meSHzW6tdpmZcPAulh//z+EJ0GsECDomA7HRsrc4L0X8PoTVZzNApeV
UpLmjCLZWfrR3j241Difs3kVZddZPjOQ4qcPqTUCgYB2iCH6uTv0i65GP5zqgw9R
3zj+GrsddPngHQ1O+VMkrC3ssp3tE2yjIcBLsOvkz0wtbvgEaC5CYsAZTCFplaGr
IJkcNI4Euec7hFGrrU/w1ZT8zOW/RyshCxFkHFNT3Ozz1dJGbNcL0+8T2gwQu9hd
IxMkBH2lDD9yEyL2jmQClA==
-----END PRIVATE KEY-----)";
inline constexpr std::string_view rsa_public = R"(-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEApThu1tgZpeMJsuQkcRHv
HYeILiJJARvANhhbFiu65p4+ushlTC/h5y5P5rn/nQcfDU4TLS2i+1KZe/6afI1E
HmqrUlpaAqxRjBAwtqRtLRtoR8jrfn1CTgTsT/q0JYGxEvjgOIZJcVD4JyExlXfP
OqzFA8dZDPv6QpZ+c5bnkoJ/RgrUV4zNTctXaWy/MFLw4XiJmL97CU/YsLLEU7GM
4pvkfkznuNUmlGynZAdy4RNQoZ8RaqD1/1bukcQckVZi5HqTe0OLpOivdYJ9ghfg
XWT92I3v1Tifb+sxjO+cNP08DbNPx49aAixbaXRs0NFCygV1+lqm2/8KcY4BXm+3
+wIDAQAB
-----END PUBLIC KEY-----)";

inline constexpr std::string_view p256_private = R"(-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgerEfVv9tvpCnz8Cr
L+r7pvX7eUJxuWWmvO9xLehU31qhRANCAAQMGahS8hqr2ECUbq4LU9Tcb19SHSfO
68pFPK9eZIzGYczliEhjhhT8MC4o2Kvn6UPi3eMAsPhlVO/gRaHvj+EE
-----END PRIVATE KEY-----)";
inline constexpr std::string_view p256_public = R"(-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEDBmoUvIaq9hAlG6uC1PU3G9fUh0n
zuvKRTyvXmSMxmHM5YhIY4YU/DAuKNir5+lD4t3jALD4ZVTv4EWh74/hBA==
-----END PUBLIC KEY-----)";

inline constexpr std::string_view p384_private = R"(-----BEGIN PRIVATE KEY-----
MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDAGWo4t1KyOxvqPoJrG
sXTC/XKPbMUx+w4YnTak4v7VnB8Z6tP+xkgx/VOOCciRhJmhZANiAATaFhSBWZK3
BzZDsy76IbHqTHZNhrLb1vh5t/WH15sMxnNDSQeJ9Zb9DrLB4VGnhkUkvyHA3Kb9
pviom3BNm2GGcjEeNsQyJorru7q4C+iEG4mQlcbf9jd3VZrCiXIodao=
-----END PRIVATE KEY-----)";
inline constexpr std::string_view p384_public = R"(-----BEGIN PUBLIC KEY-----
MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAE2hYUgVmStwc2Q7Mu+iGx6kx2TYay29b4
ebf1h9ebDMZzQ0kHifWW/Q6yweFRp4ZFJL8hwNym/ab4qJtwTZthhnIxHjbEMiaK
67u6uAvohBuJkJXG3/Y3d1WawolyKHWq
-----END PUBLIC KEY-----)";

inline constexpr std::string_view p521_private = R"(-----BEGIN PRIVATE KEY-----
MIHuAgEAMBAGByqGSM49AgEGBSuBBAAjBIHWMIHTAgEBBEIBxbllETDw1dhy2hRy
jXAc7VX76C9q/HGmf5h0c7Dy8LzWlXnCykCCmGFtN4PYbmIYSb5kN42RfrgWSUEO
9XDHPaKhgYkDgYYABACMrG9RqXoYyaYOcw9Wz8Tb3BXTz4vzyDzc+oaYoRbHyBfk
6JtyiypdrG3jUnHRr+NT3GzDwW5zdzFDsAdDTrdxNgG8fiC81jv+Ps72wW5Ah15b
XHIcWZCG9RIRlWTTWZRFkr3m7IT6M4vqF+/6Jt58oovTOaFd4HMU5IPdeZNcmZE/
hA==
-----END PRIVATE KEY-----)";
inline constexpr std::string_view p521_public = R"(-----BEGIN PUBLIC KEY-----
MIGbMBAGByqGSM49AgEGBSuBBAAjA4GGAAQAjKxvUal6GMmmDnMPVs/E29wV08+L
88g83PqGmKEWx8gX5OibcosqXaxt41Jx0a/jU9xsw8Fuc3cxQ7AHQ063cTYBvH4g
vNY7/j7O9sFuQIdeW1xyHFmQhvUSEZVk01mURZK95uyE+jOL6hfv+ibefKKL0zmh
XeBzFOSD3XmTXJmRP4Q=
-----END PUBLIC KEY-----)";

inline constexpr std::string_view ed25519_private = R"(-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEILEtV/vhd6qgzTUJXBaKNwPR9CgoItSoowYXyL2HNb3C
-----END PRIVATE KEY-----)";
inline constexpr std::string_view ed25519_public = R"(-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAfr/Czp+pnSIJN5+/h6hn3xV4WqOrNMoLNDWEMEPg30w=
-----END PUBLIC KEY-----)";

inline constexpr std::string_view ed448_private = R"(-----BEGIN PRIVATE KEY-----
MEcCAQAwBQYDK2VxBDsEOV/UA5NMN46ddWFCUCQ1nSTd+OBgNzjxOy7YWUA4PcVz
ImIoXhOc884jJq3pr+zJtOyIPuQCWvlWqg==
-----END PRIVATE KEY-----)";
inline constexpr std::string_view ed448_public = R"(-----BEGIN PUBLIC KEY-----
MEMwBQYDK2VxAzoAVNj/eCYOB0ILVK45COOlga9DVkyYi78tfc5/67h04XxtCy5l
tO8xpYKhreRpA+bma7clPMIpWYmA
-----END PUBLIC KEY-----)";

// With a key for encryption and one of an unknown type.
inline constexpr std::string_view key_set = R"({
 "keys": [
  {
   "kty": "RSA",
   "n": "pThu1tgZpeMJsuQkcRHvHYeILiJJARvANhhbFiu65p4-ushlTC_h5y5P5rn_nQcfDU4TLS2i-1KZe_6afI1EHmqrUlpaAqxRjBAwtqRtLRtoR8jrfn1CTgTsT_q0JYGxEvjgOIZJcVD4JyExlXfPOqzFA8dZDPv6QpZ-c5bnkoJ_RgrUV4zNTctXaWy_MFLw4XiJmL97CU_YsLLEU7GM4pvkfkznuNUmlGynZAdy4RNQoZ8RaqD1_1bukcQckVZi5HqTe0OLpOivdYJ9ghfgXWT92I3v1Tifb-sxjO-cNP08DbNPx49aAixbaXRs0NFCygV1-lqm2_8KcY4BXm-3-w",
   "e": "AQAB",
   "kid": "rsa",
   "use": "sig"
  },
  {
   "kty": "EC",
   "crv": "P-256",
   "kid": "p256",
   "x": "DBmoUvIaq9hAlG6uC1PU3G9fUh0nzuvKRTyvXmSMxmE",
   "y": "zOWISGOGFPwwLijYq-fpQ-Ld4wCw-GVU7-BFoe-P4QQ"
  },
  {
   "kty": "EC",
   "crv": "P-384",
   "kid": "p384",
   "x": "2hYUgVmStwc2Q7Mu-iGx6kx2TYay29b4ebf1h9ebDMZzQ0kHifWW_Q6yweFRp4ZF",
   "y": "JL8hwNym_ab4qJtwTZthhnIxHjbEMiaK67u6uAvohBuJkJXG3_Y3d1WawolyKHWq"
  },
  {
   "kty": "EC",
   "crv": "P-521",
   "kid": "p521",
   "x": "AIysb1GpehjJpg5zD1bPxNvcFdPPi_PIPNz6hpihFsfIF-Tom3KLKl2sbeNScdGv41PcbMPBbnN3MUOwB0NOt3E2",
   "y": "Abx-ILzWO_4-zvbBbkCHXltcchxZkIb1EhGVZNNZlEWSvebshPozi-oX7_om3nyii9M5oV3gcxTkg915k1yZkT-E"
  },
  {
   "kty": "OKP",
   "crv": "Ed25519",
   "kid": "ed25519",
   "alg": "EdDSA",
   "x": "fr_Czp-pnSIJN5-_h6hn3xV4WqOrNMoLNDWEMEPg30w"
  },
  {
   "kty": "OKP",
   "crv": "Ed448",
   "kid": "ed448",
   "alg": "EdDSA",
   "x": "VNj_eCYOB0ILVK45COOlga9DVkyYi78tfc5_67h04XxtCy5ltO8xpYKhreRpA-bma7clPMIpWYmA"
  },
  {
   "kty": "oct",
   "kid": "secret",
   "alg": "HS256",
   "k": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWYwMTIzNDU2Nzg5YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZg"
  },
  {
   "kty": "RSA",
   "kid": "for encryption",
   "use": "enc",
   "n": "AQ",
   "e": "AQAB"
  },
  {
   "kty": "unknown",
   "kid": "other"
  }
 ]
})";

struct Vector {
  JwtAlgorithm algorithm;
  std::string_view private_key;
  std::string_view public_key;
  std::string_view kid;
  std::string_view token;
  bool is_deterministic;
};

inline constexpr Vector all[] = {
    {JwtAlgorithm::HS256, secret, secret, "secret",
     "eyJhbGciOiJIUzI1NiIsImtpZCI6InNlY3JldCIsInR5cCI6IkpXVCJ9."
     "eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLCJhdWQiOiJzaG9wIiwiZXhwIjoyMDAwMDAwMDAwLCJzdWIiOiJhbm5hIn0.AafX_pyGl4D-HVvX_"
     "qdTVj8bXo_vwnQqAZQv_4jNo78",
     true},
    {JwtAlgorithm::HS384, secret, secret, "secret",
     "eyJhbGciOiJIUzM4NCIsImtpZCI6InNlY3JldCIsInR5cCI6IkpXVCJ9."
     "eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLCJhdWQiOiJzaG9wIiwiZXhwIjoyMDAwMDAwMDAwLCJzdWIiOiJhbm5hIn0.lpyLk4ZHnN9Y_"
     "wP9eL3arszL32Ag7JXOjOF4FHbEQGjSOzaFIaFuC8xgBK12fUY2",
     true},
    {JwtAlgorithm::HS512, secret, secret, "secret",
     "eyJhbGciOiJIUzUxMiIsImtpZCI6InNlY3JldCIsInR5cCI6IkpXVCJ9."
     "eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLCJhdWQiOiJzaG9wIiwiZXhwIjoyMDAwMDAwMDAwLCJzdWIiOiJhbm5hIn0."
     "yheRC16d4dWUIBQL3klH1Rw-WzvE6M5qmISQfFeGW_71inOoWfx6FAM_5Kb-w_9mAAoztdF1r7-H5qBaQfAJzg",
     true},
    {JwtAlgorithm::RS256, rsa_private, rsa_public, "rsa",
     "eyJhbGciOiJSUzI1NiIsImtpZCI6InJzYSIsInR5cCI6IkpXVCJ9."
     "eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLCJhdWQiOiJzaG9wIiwiZXhwIjoyMDAwMDAwMDAwLCJzdWIiOiJhbm5hIn0."
     "nMKgV6h40LwF9v5PpbN5GH2GG-T8qTiPfU_y4r-lRklWz20Maj--bF2qBgqZXIvq-5yRTgPSubD7-"
     "HbdLCcwqvIoJWrXEkukNROToFe3wi4l5rGnWuqAOZeb6qlT4r0_"
     "tiog4Qi7o131mO051aYaa5w7IGXsUA5rVB5Yjk2eWP4vcpVybosRyFzCpdiXJTrFl4yxpFXQ3ygv-"
     "gjQ9UcZSkkmwA2rh5ZvcLHOtOq69j5fun4WqISfaqzeolqy3v8udJWiTXVSiDYKqD14KrXLlnnrJR9sRLDTQOikxzHuOqRn2T4dbglOx71GILjOuE"
     "sLiAiCmJLw0rAi5Is1mFzTAA",
     true},
    {JwtAlgorithm::RS384, rsa_private, rsa_public, "rsa",
     "eyJhbGciOiJSUzM4NCIsImtpZCI6InJzYSIsInR5cCI6IkpXVCJ9."
     "eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLCJhdWQiOiJzaG9wIiwiZXhwIjoyMDAwMDAwMDAwLCJzdWIiOiJhbm5hIn0."
     "AOdkNbZeedDJgvyLVfttOzRZ-B_VoIe6jebM7_x36hVsNsKyEgMJcjtIKoGvJkldNK-b4RvXuDGUpLUrJOpAhhcYvaBVRcs8RC_"
     "7laGR1owwMTS5OOukbl4nOgkaoBWpXQSarrTXpy_7pkPbsiwm0clnk_sF7pvTmHk5IOlGb7nhpSP-lgYwgGmziI_J7_3dghe3v_M2z5L_VNU_"
     "Qif7gj8PBwfw6ENfwpUviFPFpUwl72Bukdob-bMg79AlKy5mtQuRCisf-DzTurHaBzVVUYyo4LrPdBX0LKTAGvE5ZKn-"
     "yBOeKikBNiyxRjqC2fFOM_AYogle5u3BEQlr4oxigQ",
     true},
    {JwtAlgorithm::RS512, rsa_private, rsa_public, "rsa",
     "eyJhbGciOiJSUzUxMiIsImtpZCI6InJzYSIsInR5cCI6IkpXVCJ9."
     "eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLCJhdWQiOiJzaG9wIiwiZXhwIjoyMDAwMDAwMDAwLCJzdWIiOiJhbm5hIn0."
     "nosCGm7VOSxyC34FogWeP2OOQymUbKev7knHPE9VZww4kFxbLDi-fWyKkQHFGclqiG1zd4gmtGxJSJG9CkJM3TnBjU_"
     "rTMTElhifR0z7ZvkOFNfJkMFlL3nNCoy0GoVcTC_YlJ5pzrkyV6oRhpCZ53_V5XKvRjLwDtT3G_"
     "NEstt9aT87FJkFfz4oAirXM5WokHCHhQJNJZ1dipijBm4Emfhog1k-XeSYPDblIMOiWiC9sNuBO4YSwXYvJOMCGlRbdeU4MGX_42rPgSGbd6F8cF-"
     "cxYsuiEAt5h26CvUMklN-tjnfqcWKauUF_dqlybBqwp3v_P8Sc-lkBFCZhO6zcg",
     true},
    {JwtAlgorithm::PS256, rsa_private, rsa_public, "rsa",
     "eyJhbGciOiJQUzI1NiIsImtpZCI6InJzYSIsInR5cCI6IkpXVCJ9."
     "eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLCJhdWQiOiJzaG9wIiwiZXhwIjoyMDAwMDAwMDAwLCJzdWIiOiJhbm5hIn0.e_-"
     "7BFr1A2wZWm86o4sunoVFYU35jlbv070SXzULbMlgeowOn_CQbX28jz_orwOs7c6Kna6twBuOHoxi_0Nmi5tyvg_2NN8m5U6Pcj-Rh3bKF_"
     "zUGojxGtznPiHYIlYyTMwtlJBnCTMTJ2lDZRaty-bIOJf4F2LoDE6iomkoGCbEXzBiAPLXvpa9lQwV59aEM7sSviab9wZ9nsckGg3hSTvfUebnE0-"
     "al-kynvHzlSKzvXDFAR3wxlRpd9TgZ5m0l1R-p9zAd4NWh2AruuTQFsqxQ22oaIlsLci_"
     "1aWypx6TAncgdEIKGC9UlBFBdtoZ712Ise0ZVP3jV4Y85rt_uA",
     false},
    {JwtAlgorithm::PS384, rsa_private, rsa_public, "rsa",
     "eyJhbGciOiJQUzM4NCIsImtpZCI6InJzYSIsInR5cCI6IkpXVCJ9."
     "eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLCJhdWQiOiJzaG9wIiwiZXhwIjoyMDAwMDAwMDAwLCJzdWIiOiJhbm5hIn0."
     "Hb2CoaHGKYbgFyKCzm67axRSLumuhV5gEJFuDKznAcvvwpMTMzEX2_40Ob-vorDkuamSoPAQnukuF7M4vXmR0gTLsRTO1_BFgC87sq0WUKHV-"
     "v0SxsKk_k3n-tKr6tdtTqQ8NMFVAtifdqQAEKS9RJz5ww1rdqVSXcC9ytFNojT-mQ947dfikMb_j2OUo6Y6MHg57-2_"
     "bJ5PihFqwSrffFacVuH9VDVnQZVodilrem1AIJ8jZlpA5_TE_66wLnk3YPcxDj1rJa2WLzyyBwmmy0VOpyE3I5ZBN05ZZGn71Yswz8YKiBRMjsDZ_"
     "UUu2_dsgrK3hrLIXRCCkhrezS79kg",
     false},
    {JwtAlgorithm::PS512, rsa_private, rsa_public, "rsa",
     "eyJhbGciOiJQUzUxMiIsImtpZCI6InJzYSIsInR5cCI6IkpXVCJ9."
     "eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLCJhdWQiOiJzaG9wIiwiZXhwIjoyMDAwMDAwMDAwLCJzdWIiOiJhbm5hIn0."
     "BheR4mODFwiBmOoeP4iPCbQ2y60gtoSnj0fnCeqmsfRigmj_xD3-6xy-h-Jr7zTjC6x6UtAtWrCvOPSpZbeH-"
     "n4fjBPnvZLPZHhTixMHmjhAbt7Y6PfbeulnAxy4kU5RQRmdWImCE6aUcgzan5Ax4fUvR1ewxg1dOVYN0ou46qnVF1tmsVLAXGh4HCRwwV_"
     "S3SrENMFKuvxq5_M_5GipS4Bl64xja8i8uNW-K24QWFY1P-ypShyX_BW-W_fZfOxjGoM8iJgWzOFlCHp0acl7463_"
     "BBwbqKs5j8m4EPpqdmZWQvHIPO6DFfb4Mh6SiZjrAHaGCjeoejwH_ZGIindOeA",
     false},
    {JwtAlgorithm::ES256, p256_private, p256_public, "p256",
     "eyJhbGciOiJFUzI1NiIsImtpZCI6InAyNTYiLCJ0eXAiOiJKV1QifQ."
     "eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLCJhdWQiOiJzaG9wIiwiZXhwIjoyMDAwMDAwMDAwLCJzdWIiOiJhbm5hIn0."
     "08ZwCh5cWkHtJvhxu8lIFsIiG3rZBSt0p1gdBAE-A4q-2L0XIV49_cHhzE15QG01fw6X8nRF7Gz--iSBzmI0ZA",
     false},
    {JwtAlgorithm::ES384, p384_private, p384_public, "p384",
     "eyJhbGciOiJFUzM4NCIsImtpZCI6InAzODQiLCJ0eXAiOiJKV1QifQ."
     "eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLCJhdWQiOiJzaG9wIiwiZXhwIjoyMDAwMDAwMDAwLCJzdWIiOiJhbm5hIn0."
     "3olBadKXTQ4oYQiI0uihq-KMzCF5dmUJXh-Htc_QU3xx3OkLA4qHfIqBrvWq3_b98fjYn10Wv3qtGvqCAjcDZTm-"
     "Edo0YhMy5ppAkyBLp3GshDC8A4G1cWOVHla2Jr4Y",
     false},
    {JwtAlgorithm::ES512, p521_private, p521_public, "p521",
     "eyJhbGciOiJFUzUxMiIsImtpZCI6InA1MjEiLCJ0eXAiOiJKV1QifQ."
     "eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLCJhdWQiOiJzaG9wIiwiZXhwIjoyMDAwMDAwMDAwLCJzdWIiOiJhbm5hIn0."
     "AIjVIOauwJeHim4k64MxKQV_-uIjot6BtFK4rGbNR8iswnI74XTIG_UqKBFx1U01XoMKvOuQDpd2DiD7mb9_orQAANq2DEw3GzCt7tlT-"
     "DAup9RfYKINx7T2uNicp7g4EI7yM0cQ2TN_GaFjTwlMUFGQ-5vK5tTNC9K50GxpfpqCSwru",
     false},
    {JwtAlgorithm::EdDSA, ed25519_private, ed25519_public, "ed25519",
     "eyJhbGciOiJFZERTQSIsImtpZCI6ImVkMjU1MTkiLCJ0eXAiOiJKV1QifQ."
     "eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLCJhdWQiOiJzaG9wIiwiZXhwIjoyMDAwMDAwMDAwLCJzdWIiOiJhbm5hIn0."
     "77T8m8q5mx5Avjufioa_zzLNfn3AU4V6O3oH5GLFpQKttTMblZ0U1f9oFMKSlNQm_AZExZS5xiTA2MoboLbpAg",
     true},
    {JwtAlgorithm::EdDSA, ed448_private, ed448_public, "ed448",
     "eyJhbGciOiJFZERTQSIsImtpZCI6ImVkNDQ4IiwidHlwIjoiSldUIn0."
     "eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLCJhdWQiOiJzaG9wIiwiZXhwIjoyMDAwMDAwMDAwLCJzdWIiOiJhbm5hIn0.8c8CTQ2Qc-dGpYu_"
     "o-ma0JrPquZ3V7Y_fkO62CBBNMivJy-H-yvfcS_jtjQYrPU3ftkhmmmax8mATKLRyRxAyp9zgWeccdGzv-"
     "JccecoN23mhERiGOOiooe2EwXL65QPHSBwxSs-6HDkFjWw0E31pzUA",
     true},
};

}  // namespace tern::web::vectors
