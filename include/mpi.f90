! Module `mpi` of odonata: MPI 5.0 in the ABI of MPICH. Written by the test `fresh` of
! crates/mpifort; do not edit.
module mpi
  implicit none

  type, bind(C) :: MPI_Status
    integer, private :: low, high
    integer :: MPI_SOURCE, MPI_TAG, MPI_ERROR
  end type
  type, bind(C) :: MPI_Comm
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Datatype
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Errhandler
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_File
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Group
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Info
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Message
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Op
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Request
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Session
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Win
    integer :: MPI_VAL
  end type

      INTEGER MPI_STATUS_SIZE
      PARAMETER (MPI_STATUS_SIZE=5)
      INTEGER MPI_ADDRESS_KIND
      PARAMETER (MPI_ADDRESS_KIND=8)
      INTEGER MPI_OFFSET_KIND
      PARAMETER (MPI_OFFSET_KIND=8)
      INTEGER MPI_COUNT_KIND
      PARAMETER (MPI_COUNT_KIND=8)
      INTEGER MPI_INTEGER_KIND
      PARAMETER (MPI_INTEGER_KIND=4)
      INTEGER MPI_VERSION
      PARAMETER (MPI_VERSION=5)
      INTEGER MPI_SUBVERSION
      PARAMETER (MPI_SUBVERSION=0)
      INTEGER MPI_OP_NULL
      PARAMETER (MPI_OP_NULL=402653184)
      INTEGER MPI_SUM
      PARAMETER (MPI_SUM=1476395011)
      INTEGER MPI_MIN
      PARAMETER (MPI_MIN=1476395010)
      INTEGER MPI_MAX
      PARAMETER (MPI_MAX=1476395009)
      INTEGER MPI_PROD
      PARAMETER (MPI_PROD=1476395012)
      INTEGER MPI_BAND
      PARAMETER (MPI_BAND=1476395014)
      INTEGER MPI_BOR
      PARAMETER (MPI_BOR=1476395016)
      INTEGER MPI_BXOR
      PARAMETER (MPI_BXOR=1476395018)
      INTEGER MPI_LAND
      PARAMETER (MPI_LAND=1476395013)
      INTEGER MPI_LOR
      PARAMETER (MPI_LOR=1476395015)
      INTEGER MPI_LXOR
      PARAMETER (MPI_LXOR=1476395017)
      INTEGER MPI_MINLOC
      PARAMETER (MPI_MINLOC=1476395019)
      INTEGER MPI_MAXLOC
      PARAMETER (MPI_MAXLOC=1476395020)
      INTEGER MPI_REPLACE
      PARAMETER (MPI_REPLACE=1476395021)
      INTEGER MPI_NO_OP
      PARAMETER (MPI_NO_OP=1476395022)
      INTEGER MPI_COMM_NULL
      PARAMETER (MPI_COMM_NULL=67108864)
      INTEGER MPI_COMM_WORLD
      PARAMETER (MPI_COMM_WORLD=1140850688)
      INTEGER MPI_COMM_SELF
      PARAMETER (MPI_COMM_SELF=1140850689)
      INTEGER MPI_GROUP_NULL
      PARAMETER (MPI_GROUP_NULL=134217728)
      INTEGER MPI_GROUP_EMPTY
      PARAMETER (MPI_GROUP_EMPTY=1207959552)
      INTEGER MPI_WIN_NULL
      PARAMETER (MPI_WIN_NULL=536870912)
      INTEGER MPI_FILE_NULL
      PARAMETER (MPI_FILE_NULL=0)
      INTEGER MPI_SESSION_NULL
      PARAMETER (MPI_SESSION_NULL=939524096)
      INTEGER MPI_MESSAGE_NULL
      PARAMETER (MPI_MESSAGE_NULL=738197504)
      INTEGER MPI_MESSAGE_NO_PROC
      PARAMETER (MPI_MESSAGE_NO_PROC=1811939328)
      INTEGER MPI_INFO_NULL
      PARAMETER (MPI_INFO_NULL=469762048)
      INTEGER MPI_INFO_ENV
      PARAMETER (MPI_INFO_ENV=1543503873)
      INTEGER MPI_ERRHANDLER_NULL
      PARAMETER (MPI_ERRHANDLER_NULL=335544320)
      INTEGER MPI_ERRORS_ARE_FATAL
      PARAMETER (MPI_ERRORS_ARE_FATAL=1409286144)
      INTEGER MPI_ERRORS_ABORT
      PARAMETER (MPI_ERRORS_ABORT=1409286147)
      INTEGER MPI_ERRORS_RETURN
      PARAMETER (MPI_ERRORS_RETURN=1409286145)
      INTEGER MPI_REQUEST_NULL
      PARAMETER (MPI_REQUEST_NULL=738197504)
      INTEGER MPI_DATATYPE_NULL
      PARAMETER (MPI_DATATYPE_NULL=201326592)
      INTEGER MPI_AINT
      PARAMETER (MPI_AINT=1275070531)
      INTEGER MPI_COUNT
      PARAMETER (MPI_COUNT=1275070533)
      INTEGER MPI_OFFSET
      PARAMETER (MPI_OFFSET=1275070532)
      INTEGER MPI_PACKED
      PARAMETER (MPI_PACKED=1275068687)
      INTEGER MPI_SHORT
      PARAMETER (MPI_SHORT=1275068931)
      INTEGER MPI_INT
      PARAMETER (MPI_INT=1275069445)
      INTEGER MPI_LONG
      PARAMETER (MPI_LONG=1275070471)
      INTEGER MPI_LONG_LONG
      PARAMETER (MPI_LONG_LONG=1275070473)
      INTEGER MPI_LONG_LONG_INT
      PARAMETER (MPI_LONG_LONG_INT=1275070473)
      INTEGER MPI_UNSIGNED_SHORT
      PARAMETER (MPI_UNSIGNED_SHORT=1275068932)
      INTEGER MPI_UNSIGNED
      PARAMETER (MPI_UNSIGNED=1275069446)
      INTEGER MPI_UNSIGNED_LONG
      PARAMETER (MPI_UNSIGNED_LONG=1275070472)
      INTEGER MPI_UNSIGNED_LONG_LONG
      PARAMETER (MPI_UNSIGNED_LONG_LONG=1275070489)
      INTEGER MPI_FLOAT
      PARAMETER (MPI_FLOAT=1275069450)
      INTEGER MPI_C_FLOAT_COMPLEX
      PARAMETER (MPI_C_FLOAT_COMPLEX=1275070528)
      INTEGER MPI_C_COMPLEX
      PARAMETER (MPI_C_COMPLEX=1275070528)
      INTEGER MPI_CXX_FLOAT_COMPLEX
      PARAMETER (MPI_CXX_FLOAT_COMPLEX=1275070516)
      INTEGER MPI_DOUBLE
      PARAMETER (MPI_DOUBLE=1275070475)
      INTEGER MPI_C_DOUBLE_COMPLEX
      PARAMETER (MPI_C_DOUBLE_COMPLEX=1275072577)
      INTEGER MPI_CXX_DOUBLE_COMPLEX
      PARAMETER (MPI_CXX_DOUBLE_COMPLEX=1275072565)
      INTEGER MPI_LOGICAL
      PARAMETER (MPI_LOGICAL=1275069469)
      INTEGER MPI_INTEGER
      PARAMETER (MPI_INTEGER=1275069467)
      INTEGER MPI_REAL
      PARAMETER (MPI_REAL=1275069468)
      INTEGER MPI_COMPLEX
      PARAMETER (MPI_COMPLEX=1275070494)
      INTEGER MPI_DOUBLE_PRECISION
      PARAMETER (MPI_DOUBLE_PRECISION=1275070495)
      INTEGER MPI_DOUBLE_COMPLEX
      PARAMETER (MPI_DOUBLE_COMPLEX=1275072546)
      INTEGER MPI_CHARACTER
      PARAMETER (MPI_CHARACTER=1275068698)
      INTEGER MPI_LONG_DOUBLE
      PARAMETER (MPI_LONG_DOUBLE=1275072524)
      INTEGER MPI_C_LONG_DOUBLE_COMPLEX
      PARAMETER (MPI_C_LONG_DOUBLE_COMPLEX=1275076674)
      INTEGER MPI_CXX_LONG_DOUBLE_COMPLEX
      PARAMETER (MPI_CXX_LONG_DOUBLE_COMPLEX=1275076662)
      INTEGER MPI_FLOAT_INT
      PARAMETER (MPI_FLOAT_INT=-1946157056)
      INTEGER MPI_DOUBLE_INT
      PARAMETER (MPI_DOUBLE_INT=-1946157055)
      INTEGER MPI_LONG_INT
      PARAMETER (MPI_LONG_INT=-1946157054)
      INTEGER MPI_2INT
      PARAMETER (MPI_2INT=1275070486)
      INTEGER MPI_SHORT_INT
      PARAMETER (MPI_SHORT_INT=-1946157053)
      INTEGER MPI_LONG_DOUBLE_INT
      PARAMETER (MPI_LONG_DOUBLE_INT=-1946157052)
      INTEGER MPI_2REAL
      PARAMETER (MPI_2REAL=1275070497)
      INTEGER MPI_2DOUBLE_PRECISION
      PARAMETER (MPI_2DOUBLE_PRECISION=1275072547)
      INTEGER MPI_2INTEGER
      PARAMETER (MPI_2INTEGER=1275070496)
      INTEGER MPI_C_BOOL
      PARAMETER (MPI_C_BOOL=1275068735)
      INTEGER MPI_CXX_BOOL
      PARAMETER (MPI_CXX_BOOL=1275068723)
      INTEGER MPI_WCHAR
      PARAMETER (MPI_WCHAR=1275069454)
      INTEGER MPI_INT8_T
      PARAMETER (MPI_INT8_T=1275068727)
      INTEGER MPI_UINT8_T
      PARAMETER (MPI_UINT8_T=1275068731)
      INTEGER MPI_CHAR
      PARAMETER (MPI_CHAR=1275068673)
      INTEGER MPI_SIGNED_CHAR
      PARAMETER (MPI_SIGNED_CHAR=1275068696)
      INTEGER MPI_UNSIGNED_CHAR
      PARAMETER (MPI_UNSIGNED_CHAR=1275068674)
      INTEGER MPI_BYTE
      PARAMETER (MPI_BYTE=1275068685)
      INTEGER MPI_INT16_T
      PARAMETER (MPI_INT16_T=1275068984)
      INTEGER MPI_UINT16_T
      PARAMETER (MPI_UINT16_T=1275068988)
      INTEGER MPI_INT32_T
      PARAMETER (MPI_INT32_T=1275069497)
      INTEGER MPI_UINT32_T
      PARAMETER (MPI_UINT32_T=1275069501)
      INTEGER MPI_INT64_T
      PARAMETER (MPI_INT64_T=1275070522)
      INTEGER MPI_UINT64_T
      PARAMETER (MPI_UINT64_T=1275070526)
      INTEGER MPI_LOGICAL1
      PARAMETER (MPI_LOGICAL1=1275068743)
      INTEGER MPI_INTEGER1
      PARAMETER (MPI_INTEGER1=1275068717)
      INTEGER MPI_LOGICAL2
      PARAMETER (MPI_LOGICAL2=1275069000)
      INTEGER MPI_INTEGER2
      PARAMETER (MPI_INTEGER2=1275068975)
      INTEGER MPI_REAL2
      PARAMETER (MPI_REAL2=1275068966)
      INTEGER MPI_LOGICAL4
      PARAMETER (MPI_LOGICAL4=1275069513)
      INTEGER MPI_INTEGER4
      PARAMETER (MPI_INTEGER4=1275069488)
      INTEGER MPI_REAL4
      PARAMETER (MPI_REAL4=1275069479)
      INTEGER MPI_COMPLEX4
      PARAMETER (MPI_COMPLEX4=1275069486)
      INTEGER MPI_LOGICAL8
      PARAMETER (MPI_LOGICAL8=1275070538)
      INTEGER MPI_INTEGER8
      PARAMETER (MPI_INTEGER8=1275070513)
      INTEGER MPI_REAL8
      PARAMETER (MPI_REAL8=1275070505)
      INTEGER MPI_COMPLEX8
      PARAMETER (MPI_COMPLEX8=1275070504)
      INTEGER MPI_LOGICAL16
      PARAMETER (MPI_LOGICAL16=1275072587)
      INTEGER MPI_INTEGER16
      PARAMETER (MPI_INTEGER16=1275072562)
      INTEGER MPI_REAL16
      PARAMETER (MPI_REAL16=1275072555)
      INTEGER MPI_COMPLEX16
      PARAMETER (MPI_COMPLEX16=1275072554)
      INTEGER MPI_COMPLEX32
      PARAMETER (MPI_COMPLEX32=1275076652)
      INTEGER MPI_LB
      PARAMETER (MPI_LB=1275068432)
      INTEGER MPI_UB
      PARAMETER (MPI_UB=1275068433)
      INTEGER MPI_SUCCESS
      PARAMETER (MPI_SUCCESS=0)
      INTEGER MPI_ERR_BUFFER
      PARAMETER (MPI_ERR_BUFFER=1)
      INTEGER MPI_ERR_COUNT
      PARAMETER (MPI_ERR_COUNT=2)
      INTEGER MPI_ERR_TYPE
      PARAMETER (MPI_ERR_TYPE=3)
      INTEGER MPI_ERR_TAG
      PARAMETER (MPI_ERR_TAG=4)
      INTEGER MPI_ERR_COMM
      PARAMETER (MPI_ERR_COMM=5)
      INTEGER MPI_ERR_RANK
      PARAMETER (MPI_ERR_RANK=6)
      INTEGER MPI_ERR_REQUEST
      PARAMETER (MPI_ERR_REQUEST=19)
      INTEGER MPI_ERR_ROOT
      PARAMETER (MPI_ERR_ROOT=7)
      INTEGER MPI_ERR_GROUP
      PARAMETER (MPI_ERR_GROUP=8)
      INTEGER MPI_ERR_OP
      PARAMETER (MPI_ERR_OP=9)
      INTEGER MPI_ERR_TOPOLOGY
      PARAMETER (MPI_ERR_TOPOLOGY=10)
      INTEGER MPI_ERR_DIMS
      PARAMETER (MPI_ERR_DIMS=11)
      INTEGER MPI_ERR_ARG
      PARAMETER (MPI_ERR_ARG=12)
      INTEGER MPI_ERR_UNKNOWN
      PARAMETER (MPI_ERR_UNKNOWN=13)
      INTEGER MPI_ERR_TRUNCATE
      PARAMETER (MPI_ERR_TRUNCATE=14)
      INTEGER MPI_ERR_OTHER
      PARAMETER (MPI_ERR_OTHER=15)
      INTEGER MPI_ERR_INTERN
      PARAMETER (MPI_ERR_INTERN=16)
      INTEGER MPI_ERR_PENDING
      PARAMETER (MPI_ERR_PENDING=18)
      INTEGER MPI_ERR_IN_STATUS
      PARAMETER (MPI_ERR_IN_STATUS=17)
      INTEGER MPI_ERR_ACCESS
      PARAMETER (MPI_ERR_ACCESS=20)
      INTEGER MPI_ERR_AMODE
      PARAMETER (MPI_ERR_AMODE=21)
      INTEGER MPI_ERR_ASSERT
      PARAMETER (MPI_ERR_ASSERT=53)
      INTEGER MPI_ERR_BAD_FILE
      PARAMETER (MPI_ERR_BAD_FILE=22)
      INTEGER MPI_ERR_BASE
      PARAMETER (MPI_ERR_BASE=46)
      INTEGER MPI_ERR_CONVERSION
      PARAMETER (MPI_ERR_CONVERSION=23)
      INTEGER MPI_ERR_DISP
      PARAMETER (MPI_ERR_DISP=52)
      INTEGER MPI_ERR_DUP_DATAREP
      PARAMETER (MPI_ERR_DUP_DATAREP=24)
      INTEGER MPI_ERR_FILE_EXISTS
      PARAMETER (MPI_ERR_FILE_EXISTS=25)
      INTEGER MPI_ERR_FILE_IN_USE
      PARAMETER (MPI_ERR_FILE_IN_USE=26)
      INTEGER MPI_ERR_FILE
      PARAMETER (MPI_ERR_FILE=27)
      INTEGER MPI_ERR_INFO_KEY
      PARAMETER (MPI_ERR_INFO_KEY=29)
      INTEGER MPI_ERR_INFO_NOKEY
      PARAMETER (MPI_ERR_INFO_NOKEY=31)
      INTEGER MPI_ERR_INFO_VALUE
      PARAMETER (MPI_ERR_INFO_VALUE=30)
      INTEGER MPI_ERR_INFO
      PARAMETER (MPI_ERR_INFO=28)
      INTEGER MPI_ERR_IO
      PARAMETER (MPI_ERR_IO=32)
      INTEGER MPI_ERR_KEYVAL
      PARAMETER (MPI_ERR_KEYVAL=48)
      INTEGER MPI_ERR_LOCKTYPE
      PARAMETER (MPI_ERR_LOCKTYPE=47)
      INTEGER MPI_ERR_NAME
      PARAMETER (MPI_ERR_NAME=33)
      INTEGER MPI_ERR_NO_MEM
      PARAMETER (MPI_ERR_NO_MEM=34)
      INTEGER MPI_ERR_NOT_SAME
      PARAMETER (MPI_ERR_NOT_SAME=35)
      INTEGER MPI_ERR_NO_SPACE
      PARAMETER (MPI_ERR_NO_SPACE=36)
      INTEGER MPI_ERR_NO_SUCH_FILE
      PARAMETER (MPI_ERR_NO_SUCH_FILE=37)
      INTEGER MPI_ERR_PORT
      PARAMETER (MPI_ERR_PORT=38)
      INTEGER MPI_ERR_QUOTA
      PARAMETER (MPI_ERR_QUOTA=39)
      INTEGER MPI_ERR_READ_ONLY
      PARAMETER (MPI_ERR_READ_ONLY=40)
      INTEGER MPI_ERR_RMA_ATTACH
      PARAMETER (MPI_ERR_RMA_ATTACH=56)
      INTEGER MPI_ERR_RMA_CONFLICT
      PARAMETER (MPI_ERR_RMA_CONFLICT=49)
      INTEGER MPI_ERR_RMA_RANGE
      PARAMETER (MPI_ERR_RMA_RANGE=55)
      INTEGER MPI_ERR_RMA_SHARED
      PARAMETER (MPI_ERR_RMA_SHARED=57)
      INTEGER MPI_ERR_RMA_SYNC
      PARAMETER (MPI_ERR_RMA_SYNC=50)
      INTEGER MPI_ERR_SERVICE
      PARAMETER (MPI_ERR_SERVICE=41)
      INTEGER MPI_ERR_SIZE
      PARAMETER (MPI_ERR_SIZE=51)
      INTEGER MPI_ERR_SPAWN
      PARAMETER (MPI_ERR_SPAWN=42)
      INTEGER MPI_ERR_UNSUPPORTED_DATAREP
      PARAMETER (MPI_ERR_UNSUPPORTED_DATAREP=43)
      INTEGER MPI_ERR_UNSUPPORTED_OPERATION
      PARAMETER (MPI_ERR_UNSUPPORTED_OPERATION=44)
      INTEGER MPI_ERR_WIN
      PARAMETER (MPI_ERR_WIN=45)
      INTEGER MPI_ERR_RMA_FLAVOR
      PARAMETER (MPI_ERR_RMA_FLAVOR=58)
      INTEGER MPI_ERR_PROC_ABORTED
      PARAMETER (MPI_ERR_PROC_ABORTED=76)
      INTEGER MPI_ERR_VALUE_TOO_LARGE
      PARAMETER (MPI_ERR_VALUE_TOO_LARGE=77)
      INTEGER MPI_ERR_SESSION
      PARAMETER (MPI_ERR_SESSION=75)
      INTEGER MPI_ERR_ERRHANDLER
      PARAMETER (MPI_ERR_ERRHANDLER=80)
      INTEGER MPI_ERR_ABI
      PARAMETER (MPI_ERR_ABI=81)
      INTEGER MPI_ERR_LASTCODE
      PARAMETER (MPI_ERR_LASTCODE=1073741823)
      INTEGER MPI_MAX_DATAREP_STRING
      PARAMETER (MPI_MAX_DATAREP_STRING=127)
      INTEGER MPI_MAX_ERROR_STRING
      PARAMETER (MPI_MAX_ERROR_STRING=511)
      INTEGER MPI_MAX_INFO_KEY
      PARAMETER (MPI_MAX_INFO_KEY=254)
      INTEGER MPI_MAX_INFO_VAL
      PARAMETER (MPI_MAX_INFO_VAL=1023)
      INTEGER MPI_MAX_LIBRARY_VERSION_STRING
      PARAMETER (MPI_MAX_LIBRARY_VERSION_STRING=8191)
      INTEGER MPI_MAX_OBJECT_NAME
      PARAMETER (MPI_MAX_OBJECT_NAME=127)
      INTEGER MPI_MAX_PORT_NAME
      PARAMETER (MPI_MAX_PORT_NAME=255)
      INTEGER MPI_MAX_PROCESSOR_NAME
      PARAMETER (MPI_MAX_PROCESSOR_NAME=127)
      INTEGER MPI_MAX_STRINGTAG_LEN
      PARAMETER (MPI_MAX_STRINGTAG_LEN=255)
      INTEGER MPI_MAX_PSET_NAME_LEN
      PARAMETER (MPI_MAX_PSET_NAME_LEN=255)
      INTEGER MPI_BSEND_OVERHEAD
      PARAMETER (MPI_BSEND_OVERHEAD=96)
      INTEGER MPI_MODE_APPEND
      PARAMETER (MPI_MODE_APPEND=128)
      INTEGER MPI_MODE_CREATE
      PARAMETER (MPI_MODE_CREATE=1)
      INTEGER MPI_MODE_DELETE_ON_CLOSE
      PARAMETER (MPI_MODE_DELETE_ON_CLOSE=16)
      INTEGER MPI_MODE_EXCL
      PARAMETER (MPI_MODE_EXCL=64)
      INTEGER MPI_MODE_RDONLY
      PARAMETER (MPI_MODE_RDONLY=2)
      INTEGER MPI_MODE_RDWR
      PARAMETER (MPI_MODE_RDWR=8)
      INTEGER MPI_MODE_SEQUENTIAL
      PARAMETER (MPI_MODE_SEQUENTIAL=256)
      INTEGER MPI_MODE_UNIQUE_OPEN
      PARAMETER (MPI_MODE_UNIQUE_OPEN=32)
      INTEGER MPI_MODE_WRONLY
      PARAMETER (MPI_MODE_WRONLY=4)
      INTEGER MPI_MODE_NOCHECK
      PARAMETER (MPI_MODE_NOCHECK=1024)
      INTEGER MPI_MODE_NOPRECEDE
      PARAMETER (MPI_MODE_NOPRECEDE=8192)
      INTEGER MPI_MODE_NOPUT
      PARAMETER (MPI_MODE_NOPUT=4096)
      INTEGER MPI_MODE_NOSTORE
      PARAMETER (MPI_MODE_NOSTORE=2048)
      INTEGER MPI_MODE_NOSUCCEED
      PARAMETER (MPI_MODE_NOSUCCEED=16384)
      INTEGER MPI_ANY_SOURCE
      PARAMETER (MPI_ANY_SOURCE=-2)
      INTEGER MPI_ANY_TAG
      PARAMETER (MPI_ANY_TAG=-1)
      INTEGER MPI_PROC_NULL
      PARAMETER (MPI_PROC_NULL=-1)
      INTEGER MPI_ROOT
      PARAMETER (MPI_ROOT=-3)
      INTEGER MPI_UNDEFINED
      PARAMETER (MPI_UNDEFINED=-32766)
      INTEGER MPI_THREAD_SINGLE
      PARAMETER (MPI_THREAD_SINGLE=0)
      INTEGER MPI_THREAD_FUNNELED
      PARAMETER (MPI_THREAD_FUNNELED=1)
      INTEGER MPI_THREAD_SERIALIZED
      PARAMETER (MPI_THREAD_SERIALIZED=2)
      INTEGER MPI_THREAD_MULTIPLE
      PARAMETER (MPI_THREAD_MULTIPLE=3)
      INTEGER MPI_ORDER_C
      PARAMETER (MPI_ORDER_C=56)
      INTEGER MPI_ORDER_FORTRAN
      PARAMETER (MPI_ORDER_FORTRAN=57)
      INTEGER MPI_DISTRIBUTE_NONE
      PARAMETER (MPI_DISTRIBUTE_NONE=123)
      INTEGER MPI_DISTRIBUTE_BLOCK
      PARAMETER (MPI_DISTRIBUTE_BLOCK=121)
      INTEGER MPI_DISTRIBUTE_CYCLIC
      PARAMETER (MPI_DISTRIBUTE_CYCLIC=122)
      INTEGER MPI_DISTRIBUTE_DFLT_DARG
      PARAMETER (MPI_DISTRIBUTE_DFLT_DARG=-49767)
      INTEGER MPI_COMBINER_NAMED
      PARAMETER (MPI_COMBINER_NAMED=1)
      INTEGER MPI_COMBINER_DUP
      PARAMETER (MPI_COMBINER_DUP=2)
      INTEGER MPI_COMBINER_CONTIGUOUS
      PARAMETER (MPI_COMBINER_CONTIGUOUS=3)
      INTEGER MPI_COMBINER_VECTOR
      PARAMETER (MPI_COMBINER_VECTOR=4)
      INTEGER MPI_COMBINER_HVECTOR
      PARAMETER (MPI_COMBINER_HVECTOR=6)
      INTEGER MPI_COMBINER_INDEXED
      PARAMETER (MPI_COMBINER_INDEXED=7)
      INTEGER MPI_COMBINER_HINDEXED
      PARAMETER (MPI_COMBINER_HINDEXED=9)
      INTEGER MPI_COMBINER_INDEXED_BLOCK
      PARAMETER (MPI_COMBINER_INDEXED_BLOCK=10)
      INTEGER MPI_COMBINER_HINDEXED_BLOCK
      PARAMETER (MPI_COMBINER_HINDEXED_BLOCK=19)
      INTEGER MPI_COMBINER_STRUCT
      PARAMETER (MPI_COMBINER_STRUCT=12)
      INTEGER MPI_COMBINER_SUBARRAY
      PARAMETER (MPI_COMBINER_SUBARRAY=13)
      INTEGER MPI_COMBINER_DARRAY
      PARAMETER (MPI_COMBINER_DARRAY=14)
      INTEGER MPI_COMBINER_F90_REAL
      PARAMETER (MPI_COMBINER_F90_REAL=15)
      INTEGER MPI_COMBINER_F90_COMPLEX
      PARAMETER (MPI_COMBINER_F90_COMPLEX=16)
      INTEGER MPI_COMBINER_F90_INTEGER
      PARAMETER (MPI_COMBINER_F90_INTEGER=17)
      INTEGER MPI_COMBINER_RESIZED
      PARAMETER (MPI_COMBINER_RESIZED=18)
      INTEGER MPI_COMBINER_VALUE_INDEX
      PARAMETER (MPI_COMBINER_VALUE_INDEX=20)
      INTEGER MPI_COMBINER_HVECTOR_INTEGER
      PARAMETER (MPI_COMBINER_HVECTOR_INTEGER=5)
      INTEGER MPI_COMBINER_HINDEXED_INTEGER
      PARAMETER (MPI_COMBINER_HINDEXED_INTEGER=8)
      INTEGER MPI_COMBINER_STRUCT_INTEGER
      PARAMETER (MPI_COMBINER_STRUCT_INTEGER=11)
      INTEGER MPI_TYPECLASS_INTEGER
      PARAMETER (MPI_TYPECLASS_INTEGER=2)
      INTEGER MPI_TYPECLASS_REAL
      PARAMETER (MPI_TYPECLASS_REAL=1)
      INTEGER MPI_TYPECLASS_COMPLEX
      PARAMETER (MPI_TYPECLASS_COMPLEX=3)
      INTEGER MPI_IDENT
      PARAMETER (MPI_IDENT=0)
      INTEGER MPI_CONGRUENT
      PARAMETER (MPI_CONGRUENT=1)
      INTEGER MPI_SIMILAR
      PARAMETER (MPI_SIMILAR=2)
      INTEGER MPI_UNEQUAL
      PARAMETER (MPI_UNEQUAL=3)
      INTEGER MPI_CART
      PARAMETER (MPI_CART=2)
      INTEGER MPI_GRAPH
      PARAMETER (MPI_GRAPH=1)
      INTEGER MPI_DIST_GRAPH
      PARAMETER (MPI_DIST_GRAPH=3)
      INTEGER MPI_COMM_TYPE_SHARED
      PARAMETER (MPI_COMM_TYPE_SHARED=1)
      INTEGER MPI_COMM_TYPE_HW_UNGUIDED
      PARAMETER (MPI_COMM_TYPE_HW_UNGUIDED=3)
      INTEGER MPI_COMM_TYPE_HW_GUIDED
      PARAMETER (MPI_COMM_TYPE_HW_GUIDED=2)
      INTEGER MPI_COMM_TYPE_RESOURCE_GUIDED
      PARAMETER (MPI_COMM_TYPE_RESOURCE_GUIDED=4)
      INTEGER MPI_LOCK_EXCLUSIVE
      PARAMETER (MPI_LOCK_EXCLUSIVE=234)
      INTEGER MPI_LOCK_SHARED
      PARAMETER (MPI_LOCK_SHARED=235)
      INTEGER MPI_WIN_FLAVOR_CREATE
      PARAMETER (MPI_WIN_FLAVOR_CREATE=1)
      INTEGER MPI_WIN_FLAVOR_ALLOCATE
      PARAMETER (MPI_WIN_FLAVOR_ALLOCATE=2)
      INTEGER MPI_WIN_FLAVOR_DYNAMIC
      PARAMETER (MPI_WIN_FLAVOR_DYNAMIC=3)
      INTEGER MPI_WIN_FLAVOR_SHARED
      PARAMETER (MPI_WIN_FLAVOR_SHARED=4)
      INTEGER MPI_WIN_UNIFIED
      PARAMETER (MPI_WIN_UNIFIED=2)
      INTEGER MPI_WIN_SEPARATE
      PARAMETER (MPI_WIN_SEPARATE=1)
      INTEGER MPI_SEEK_CUR
      PARAMETER (MPI_SEEK_CUR=602)
      INTEGER MPI_SEEK_END
      PARAMETER (MPI_SEEK_END=604)
      INTEGER MPI_SEEK_SET
      PARAMETER (MPI_SEEK_SET=600)
      INTEGER(KIND=8) MPI_DISPLACEMENT_CURRENT
      PARAMETER (MPI_DISPLACEMENT_CURRENT=-54278278)
      INTEGER MPI_KEYVAL_INVALID
      PARAMETER (MPI_KEYVAL_INVALID=603979776)
      INTEGER MPI_TAG_UB
      PARAMETER (MPI_TAG_UB=1681915906)
      INTEGER MPI_IO
      PARAMETER (MPI_IO=1681915910)
      INTEGER MPI_HOST
      PARAMETER (MPI_HOST=1681915908)
      INTEGER MPI_WTIME_IS_GLOBAL
      PARAMETER (MPI_WTIME_IS_GLOBAL=1681915912)
      INTEGER MPI_APPNUM
      PARAMETER (MPI_APPNUM=1681915918)
      INTEGER MPI_LASTUSEDCODE
      PARAMETER (MPI_LASTUSEDCODE=1681915916)
      INTEGER MPI_UNIVERSE_SIZE
      PARAMETER (MPI_UNIVERSE_SIZE=1681915914)
      INTEGER MPI_WIN_BASE
      PARAMETER (MPI_WIN_BASE=1711276034)
      INTEGER MPI_WIN_DISP_UNIT
      PARAMETER (MPI_WIN_DISP_UNIT=1711276038)
      INTEGER MPI_WIN_SIZE
      PARAMETER (MPI_WIN_SIZE=1711276036)
      INTEGER MPI_WIN_CREATE_FLAVOR
      PARAMETER (MPI_WIN_CREATE_FLAVOR=1711276040)
      INTEGER MPI_WIN_MODEL
      PARAMETER (MPI_WIN_MODEL=1711276042)
      INTEGER MPI_SOURCE
      PARAMETER (MPI_SOURCE=3)
      INTEGER MPI_TAG
      PARAMETER (MPI_TAG=4)
      INTEGER MPI_ERROR
      PARAMETER (MPI_ERROR=5)
      LOGICAL MPI_SUBARRAYS_SUPPORTED
      PARAMETER (MPI_SUBARRAYS_SUPPORTED=.FALSE.)
      LOGICAL MPI_ASYNC_PROTECTS_NONBLOCKING
      PARAMETER (MPI_ASYNC_PROTECTS_NONBLOCKING=.FALSE.)
      INTEGER MPI_BOTTOM, MPI_IN_PLACE
      INTEGER MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY
      INTEGER MPI_STATUS_IGNORE(MPI_STATUS_SIZE)
      INTEGER MPI_STATUSES_IGNORE(MPI_STATUS_SIZE,1)
      INTEGER MPI_ERRCODES_IGNORE(1)
      CHARACTER MPI_ARGVS_NULL(1,1)
      CHARACTER MPI_ARGV_NULL(1)
      COMMON /MPIPRIV1/ MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE
      COMMON /MPIPRIV2/ MPI_STATUSES_IGNORE, MPI_ERRCODES_IGNORE
      COMMON /MPIPRIVC/ MPI_ARGVS_NULL, MPI_ARGV_NULL
      COMMON /MPIFCMB5/ MPI_UNWEIGHTED
      COMMON /MPIFCMB9/ MPI_WEIGHTS_EMPTY
      SAVE /MPIPRIV1/, /MPIPRIV2/, /MPIPRIVC/, /MPIFCMB5/, /MPIFCMB9/
      EXTERNAL MPI_NULL_COPY_FN
      EXTERNAL MPI_DUP_FN
      EXTERNAL MPI_NULL_DELETE_FN
      EXTERNAL MPI_COMM_NULL_COPY_FN
      EXTERNAL MPI_COMM_DUP_FN
      EXTERNAL MPI_COMM_NULL_DELETE_FN
      EXTERNAL MPI_TYPE_NULL_COPY_FN
      EXTERNAL MPI_TYPE_DUP_FN
      EXTERNAL MPI_TYPE_NULL_DELETE_FN
      EXTERNAL MPI_WIN_NULL_COPY_FN
      EXTERNAL MPI_WIN_DUP_FN
      EXTERNAL MPI_WIN_NULL_DELETE_FN
      EXTERNAL MPI_CONVERSION_FN_NULL

  interface
    subroutine MPI_Sizeof(x, size, ierror) bind(C, name="odonata_sizeof")
      type(*), dimension(..) :: x
      integer :: size
      integer :: ierror
    end subroutine
    subroutine MPI_F_sync_reg(buf)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
    end subroutine
    subroutine PMPI_F_sync_reg(buf)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      type(*), dimension(*) :: buf
    end subroutine
  end interface

  interface
    subroutine MPI_Abi_get_info(info, ierror)
      import
      integer :: info
      integer :: ierror
    end subroutine
    subroutine PMPI_Abi_get_info(info, ierror)
      import
      integer :: info
      integer :: ierror
    end subroutine
    subroutine MPI_Abi_get_version(abi_major, abi_minor, ierror)
      import
      integer :: abi_major
      integer :: abi_minor
      integer :: ierror
    end subroutine
    subroutine PMPI_Abi_get_version(abi_major, abi_minor, ierror)
      import
      integer :: abi_major
      integer :: abi_minor
      integer :: ierror
    end subroutine
    subroutine MPI_Abort(comm, errorcode, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: errorcode
      integer :: ierror
    end subroutine
    subroutine PMPI_Abort(comm, errorcode, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: errorcode
      integer :: ierror
    end subroutine
    subroutine MPI_Add_error_class(errorclass, ierror)
      import
      integer :: errorclass
      integer :: ierror
    end subroutine
    subroutine PMPI_Add_error_class(errorclass, ierror)
      import
      integer :: errorclass
      integer :: ierror
    end subroutine
    subroutine MPI_Add_error_code(errorclass, errorcode, ierror)
      import
      integer, intent(in) :: errorclass
      integer :: errorcode
      integer :: ierror
    end subroutine
    subroutine PMPI_Add_error_code(errorclass, errorcode, ierror)
      import
      integer, intent(in) :: errorclass
      integer :: errorcode
      integer :: ierror
    end subroutine
    subroutine MPI_Add_error_string(errorcode, string, ierror)
      import
      integer, intent(in) :: errorcode
      character(len=*) :: string
      integer :: ierror
    end subroutine
    subroutine PMPI_Add_error_string(errorcode, string, ierror)
      import
      integer, intent(in) :: errorcode
      character(len=*) :: string
      integer :: ierror
    end subroutine
    function MPI_Aint_add(base, disp)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: base
      integer(MPI_ADDRESS_KIND), intent(in) :: disp
      integer(MPI_ADDRESS_KIND) :: MPI_Aint_add
    end function
    function PMPI_Aint_add(base, disp)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: base
      integer(MPI_ADDRESS_KIND), intent(in) :: disp
      integer(MPI_ADDRESS_KIND) :: PMPI_Aint_add
    end function
    function MPI_Aint_diff(addr1, addr2)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: addr1
      integer(MPI_ADDRESS_KIND), intent(in) :: addr2
      integer(MPI_ADDRESS_KIND) :: MPI_Aint_diff
    end function
    function PMPI_Aint_diff(addr1, addr2)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: addr1
      integer(MPI_ADDRESS_KIND), intent(in) :: addr2
      integer(MPI_ADDRESS_KIND) :: PMPI_Aint_diff
    end function
    subroutine MPI_Alloc_mem(size, info, baseptr, ierror)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: info
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      integer :: ierror
    end subroutine
    subroutine PMPI_Alloc_mem(size, info, baseptr, ierror)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: info
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      integer :: ierror
    end subroutine
    subroutine MPI_Attr_delete(comm, keyval, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: keyval
      integer :: ierror
    end subroutine
    subroutine PMPI_Attr_delete(comm, keyval, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: keyval
      integer :: ierror
    end subroutine
    subroutine MPI_Attr_get(comm, keyval, attribute_val, flag, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: keyval
      integer :: attribute_val
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine PMPI_Attr_get(comm, keyval, attribute_val, flag, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: keyval
      integer :: attribute_val
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine MPI_Attr_put(comm, keyval, attribute_val, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: keyval
      integer :: attribute_val
      integer :: ierror
    end subroutine
    subroutine PMPI_Attr_put(comm, keyval, attribute_val, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: keyval
      integer :: attribute_val
      integer :: ierror
    end subroutine
    subroutine MPI_Barrier(comm, ierror)
      import
      integer, intent(in) :: comm
      integer :: ierror
    end subroutine
    subroutine PMPI_Barrier(comm, ierror)
      import
      integer, intent(in) :: comm
      integer :: ierror
    end subroutine
    subroutine MPI_Barrier_init(comm, info, request, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer :: request
      integer :: ierror
    end subroutine
    subroutine PMPI_Barrier_init(comm, info, request, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer :: request
      integer :: ierror
    end subroutine
    subroutine MPI_Buffer_flush(ierror)
      import
      integer :: ierror
    end subroutine
    subroutine PMPI_Buffer_flush(ierror)
      import
      integer :: ierror
    end subroutine
    subroutine MPI_Buffer_iflush(request, ierror)
      import
      integer :: request
      integer :: ierror
    end subroutine
    subroutine PMPI_Buffer_iflush(request, ierror)
      import
      integer :: request
      integer :: ierror
    end subroutine
    subroutine MPI_Cancel(request, ierror)
      import
      integer :: request
      integer :: ierror
    end subroutine
    subroutine PMPI_Cancel(request, ierror)
      import
      integer :: request
      integer :: ierror
    end subroutine
    subroutine MPI_Cart_coords(comm, rank, maxdims, coords, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: rank
      integer, intent(in) :: maxdims
      integer :: coords(*)
      integer :: ierror
    end subroutine
    subroutine PMPI_Cart_coords(comm, rank, maxdims, coords, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: rank
      integer, intent(in) :: maxdims
      integer :: coords(*)
      integer :: ierror
    end subroutine
    subroutine MPI_Cart_create(comm_old, ndims, dims, periods, reorder, comm_cart, ierror)
      import
      integer, intent(in) :: comm_old
      integer, intent(in) :: ndims
      integer :: dims(*)
      logical :: periods(*)
      logical, intent(in) :: reorder
      integer :: comm_cart
      integer :: ierror
    end subroutine
    subroutine PMPI_Cart_create(comm_old, ndims, dims, periods, reorder, comm_cart, ierror)
      import
      integer, intent(in) :: comm_old
      integer, intent(in) :: ndims
      integer :: dims(*)
      logical :: periods(*)
      logical, intent(in) :: reorder
      integer :: comm_cart
      integer :: ierror
    end subroutine
    subroutine MPI_Cart_get(comm, maxdims, dims, periods, coords, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: maxdims
      integer :: dims(*)
      logical :: periods(*)
      integer :: coords(*)
      integer :: ierror
    end subroutine
    subroutine PMPI_Cart_get(comm, maxdims, dims, periods, coords, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: maxdims
      integer :: dims(*)
      logical :: periods(*)
      integer :: coords(*)
      integer :: ierror
    end subroutine
    subroutine MPI_Cart_map(comm, ndims, dims, periods, newrank, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: ndims
      integer :: dims(*)
      logical :: periods(*)
      integer :: newrank
      integer :: ierror
    end subroutine
    subroutine PMPI_Cart_map(comm, ndims, dims, periods, newrank, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: ndims
      integer :: dims(*)
      logical :: periods(*)
      integer :: newrank
      integer :: ierror
    end subroutine
    subroutine MPI_Cart_rank(comm, coords, rank, ierror)
      import
      integer, intent(in) :: comm
      integer :: coords(*)
      integer :: rank
      integer :: ierror
    end subroutine
    subroutine PMPI_Cart_rank(comm, coords, rank, ierror)
      import
      integer, intent(in) :: comm
      integer :: coords(*)
      integer :: rank
      integer :: ierror
    end subroutine
    subroutine MPI_Cart_shift(comm, direction, disp, rank_source, rank_dest, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: direction
      integer, intent(in) :: disp
      integer :: rank_source
      integer :: rank_dest
      integer :: ierror
    end subroutine
    subroutine PMPI_Cart_shift(comm, direction, disp, rank_source, rank_dest, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: direction
      integer, intent(in) :: disp
      integer :: rank_source
      integer :: rank_dest
      integer :: ierror
    end subroutine
    subroutine MPI_Cart_sub(comm, remain_dims, newcomm, ierror)
      import
      integer, intent(in) :: comm
      logical :: remain_dims(*)
      integer :: newcomm
      integer :: ierror
    end subroutine
    subroutine PMPI_Cart_sub(comm, remain_dims, newcomm, ierror)
      import
      integer, intent(in) :: comm
      logical :: remain_dims(*)
      integer :: newcomm
      integer :: ierror
    end subroutine
    subroutine MPI_Cartdim_get(comm, ndims, ierror)
      import
      integer, intent(in) :: comm
      integer :: ndims
      integer :: ierror
    end subroutine
    subroutine PMPI_Cartdim_get(comm, ndims, ierror)
      import
      integer, intent(in) :: comm
      integer :: ndims
      integer :: ierror
    end subroutine
    subroutine MPI_Close_port(port_name, ierror)
      import
      character(len=*) :: port_name
      integer :: ierror
    end subroutine
    subroutine PMPI_Close_port(port_name, ierror)
      import
      character(len=*) :: port_name
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_accept(port_name, info, root, comm, newcomm, ierror)
      import
      character(len=*) :: port_name
      integer, intent(in) :: info
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer :: newcomm
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_accept(port_name, info, root, comm, newcomm, ierror)
      import
      character(len=*) :: port_name
      integer, intent(in) :: info
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer :: newcomm
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_call_errhandler(comm, errorcode, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: errorcode
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_call_errhandler(comm, errorcode, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: errorcode
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_compare(comm1, comm2, result, ierror)
      import
      integer, intent(in) :: comm1
      integer, intent(in) :: comm2
      integer :: result
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_compare(comm1, comm2, result, ierror)
      import
      integer, intent(in) :: comm1
      integer, intent(in) :: comm2
      integer :: result
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_connect(port_name, info, root, comm, newcomm, ierror)
      import
      character(len=*) :: port_name
      integer, intent(in) :: info
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer :: newcomm
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_connect(port_name, info, root, comm, newcomm, ierror)
      import
      character(len=*) :: port_name
      integer, intent(in) :: info
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer :: newcomm
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_create(comm, group, newcomm, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: group
      integer :: newcomm
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_create(comm, group, newcomm, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: group
      integer :: newcomm
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_create_errhandler(comm_errhandler_fn, errhandler, ierror)
      import
      external :: comm_errhandler_fn
      integer :: errhandler
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_create_errhandler(comm_errhandler_fn, errhandler, ierror)
      import
      external :: comm_errhandler_fn
      integer :: errhandler
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_create_from_group(group, stringtag, info, errhandler, newcomm, ierror)
      import
      integer, intent(in) :: group
      character(len=*) :: stringtag
      integer, intent(in) :: info
      integer, intent(in) :: errhandler
      integer :: newcomm
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_create_from_group(group, stringtag, info, errhandler, newcomm, ierror)
      import
      integer, intent(in) :: group
      character(len=*) :: stringtag
      integer, intent(in) :: info
      integer, intent(in) :: errhandler
      integer :: newcomm
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_create_group(comm, group, tag, newcomm, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: group
      integer, intent(in) :: tag
      integer :: newcomm
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_create_group(comm, group, tag, newcomm, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: group
      integer, intent(in) :: tag
      integer :: newcomm
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_create_keyval(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, &
        extra_state, ierror)
      import
      external :: comm_copy_attr_fn
      external :: comm_delete_attr_fn
      integer :: comm_keyval
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_create_keyval(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, &
        extra_state, ierror)
      import
      external :: comm_copy_attr_fn
      external :: comm_delete_attr_fn
      integer :: comm_keyval
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_delete_attr(comm, comm_keyval, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_delete_attr(comm, comm_keyval, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_disconnect(comm, ierror)
      import
      integer :: comm
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_disconnect(comm, ierror)
      import
      integer :: comm
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_dup(comm, newcomm, ierror)
      import
      integer, intent(in) :: comm
      integer :: newcomm
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_dup(comm, newcomm, ierror)
      import
      integer, intent(in) :: comm
      integer :: newcomm
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_dup_with_info(comm, info, newcomm, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer :: newcomm
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_dup_with_info(comm, info, newcomm, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer :: newcomm
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_flush_buffer(comm, ierror)
      import
      integer, intent(in) :: comm
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_flush_buffer(comm, ierror)
      import
      integer, intent(in) :: comm
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_free(comm, ierror)
      import
      integer :: comm
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_free(comm, ierror)
      import
      integer :: comm
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_free_keyval(comm_keyval, ierror)
      import
      integer :: comm_keyval
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_free_keyval(comm_keyval, ierror)
      import
      integer :: comm_keyval
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_get_attr(comm, comm_keyval, attribute_val, flag, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer(MPI_ADDRESS_KIND) :: attribute_val
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_get_attr(comm, comm_keyval, attribute_val, flag, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer(MPI_ADDRESS_KIND) :: attribute_val
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_get_errhandler(comm, errhandler, ierror)
      import
      integer, intent(in) :: comm
      integer :: errhandler
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_get_errhandler(comm, errhandler, ierror)
      import
      integer, intent(in) :: comm
      integer :: errhandler
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_get_info(comm, info_used, ierror)
      import
      integer, intent(in) :: comm
      integer :: info_used
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_get_info(comm, info_used, ierror)
      import
      integer, intent(in) :: comm
      integer :: info_used
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_get_name(comm, comm_name, resultlen, ierror)
      import
      integer, intent(in) :: comm
      character(len=*) :: comm_name
      integer :: resultlen
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_get_name(comm, comm_name, resultlen, ierror)
      import
      integer, intent(in) :: comm
      character(len=*) :: comm_name
      integer :: resultlen
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_get_parent(parent, ierror)
      import
      integer :: parent
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_get_parent(parent, ierror)
      import
      integer :: parent
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_group(comm, group, ierror)
      import
      integer, intent(in) :: comm
      integer :: group
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_group(comm, group, ierror)
      import
      integer, intent(in) :: comm
      integer :: group
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_idup(comm, newcomm, request, ierror)
      import
      integer, intent(in) :: comm
      integer :: newcomm
      integer :: request
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_idup(comm, newcomm, request, ierror)
      import
      integer, intent(in) :: comm
      integer :: newcomm
      integer :: request
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_idup_with_info(comm, info, newcomm, request, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer :: newcomm
      integer :: request
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_idup_with_info(comm, info, newcomm, request, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer :: newcomm
      integer :: request
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_iflush_buffer(comm, request, ierror)
      import
      integer, intent(in) :: comm
      integer :: request
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_iflush_buffer(comm, request, ierror)
      import
      integer, intent(in) :: comm
      integer :: request
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_join(fd, intercomm, ierror)
      import
      integer, intent(in) :: fd
      integer :: intercomm
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_join(fd, intercomm, ierror)
      import
      integer, intent(in) :: fd
      integer :: intercomm
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_rank(comm, rank, ierror)
      import
      integer, intent(in) :: comm
      integer :: rank
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_rank(comm, rank, ierror)
      import
      integer, intent(in) :: comm
      integer :: rank
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_remote_group(comm, group, ierror)
      import
      integer, intent(in) :: comm
      integer :: group
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_remote_group(comm, group, ierror)
      import
      integer, intent(in) :: comm
      integer :: group
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_remote_size(comm, size, ierror)
      import
      integer, intent(in) :: comm
      integer :: size
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_remote_size(comm, size, ierror)
      import
      integer, intent(in) :: comm
      integer :: size
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_set_attr(comm, comm_keyval, attribute_val, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer(MPI_ADDRESS_KIND) :: attribute_val
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_set_attr(comm, comm_keyval, attribute_val, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer(MPI_ADDRESS_KIND) :: attribute_val
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_set_errhandler(comm, errhandler, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: errhandler
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_set_errhandler(comm, errhandler, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: errhandler
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_set_info(comm, info, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_set_info(comm, info, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: info
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_set_name(comm, comm_name, ierror)
      import
      integer, intent(in) :: comm
      character(len=*) :: comm_name
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_set_name(comm, comm_name, ierror)
      import
      integer, intent(in) :: comm
      character(len=*) :: comm_name
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_size(comm, size, ierror)
      import
      integer, intent(in) :: comm
      integer :: size
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_size(comm, size, ierror)
      import
      integer, intent(in) :: comm
      integer :: size
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_spawn(command, argv, maxprocs, info, root, comm, intercomm, &
        array_of_errcodes, ierror)
      import
      character(len=*) :: command
      character(len=*) :: argv(*)
      integer, intent(in) :: maxprocs
      integer, intent(in) :: info
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer :: intercomm
      integer :: array_of_errcodes(*)
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_spawn(command, argv, maxprocs, info, root, comm, intercomm, &
        array_of_errcodes, ierror)
      import
      character(len=*) :: command
      character(len=*) :: argv(*)
      integer, intent(in) :: maxprocs
      integer, intent(in) :: info
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer :: intercomm
      integer :: array_of_errcodes(*)
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_spawn_multiple(count, array_of_commands, array_of_argv, &
        array_of_maxprocs, array_of_info, root, comm, intercomm, array_of_errcodes, ierror)
      import
      integer, intent(in) :: count
      character(len=*) :: array_of_commands(*)
      character(len=*) :: array_of_argv(count, *)
      integer :: array_of_maxprocs(*)
      integer :: array_of_info(*)
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer :: intercomm
      integer :: array_of_errcodes(*)
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_spawn_multiple(count, array_of_commands, array_of_argv, &
        array_of_maxprocs, array_of_info, root, comm, intercomm, array_of_errcodes, ierror)
      import
      integer, intent(in) :: count
      character(len=*) :: array_of_commands(*)
      character(len=*) :: array_of_argv(count, *)
      integer :: array_of_maxprocs(*)
      integer :: array_of_info(*)
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer :: intercomm
      integer :: array_of_errcodes(*)
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_split(comm, color, key, newcomm, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: color
      integer, intent(in) :: key
      integer :: newcomm
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_split(comm, color, key, newcomm, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: color
      integer, intent(in) :: key
      integer :: newcomm
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_split_type(comm, split_type, key, info, newcomm, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: split_type
      integer, intent(in) :: key
      integer, intent(in) :: info
      integer :: newcomm
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_split_type(comm, split_type, key, info, newcomm, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: split_type
      integer, intent(in) :: key
      integer, intent(in) :: info
      integer :: newcomm
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_test_inter(comm, flag, ierror)
      import
      integer, intent(in) :: comm
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine PMPI_Comm_test_inter(comm, flag, ierror)
      import
      integer, intent(in) :: comm
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine MPI_Dims_create(nnodes, ndims, dims, ierror)
      import
      integer, intent(in) :: nnodes
      integer, intent(in) :: ndims
      integer :: dims(*)
      integer :: ierror
    end subroutine
    subroutine PMPI_Dims_create(nnodes, ndims, dims, ierror)
      import
      integer, intent(in) :: nnodes
      integer, intent(in) :: ndims
      integer :: dims(*)
      integer :: ierror
    end subroutine
    subroutine MPI_Dist_graph_neighbors_count(comm, indegree, outdegree, weighted, ierror)
      import
      integer, intent(in) :: comm
      integer :: indegree
      integer :: outdegree
      logical :: weighted
      integer :: ierror
    end subroutine
    subroutine PMPI_Dist_graph_neighbors_count(comm, indegree, outdegree, weighted, ierror)
      import
      integer, intent(in) :: comm
      integer :: indegree
      integer :: outdegree
      logical :: weighted
      integer :: ierror
    end subroutine
    subroutine MPI_Errhandler_free(errhandler, ierror)
      import
      integer :: errhandler
      integer :: ierror
    end subroutine
    subroutine PMPI_Errhandler_free(errhandler, ierror)
      import
      integer :: errhandler
      integer :: ierror
    end subroutine
    subroutine MPI_Error_class(errorcode, errorclass, ierror)
      import
      integer, intent(in) :: errorcode
      integer :: errorclass
      integer :: ierror
    end subroutine
    subroutine PMPI_Error_class(errorcode, errorclass, ierror)
      import
      integer, intent(in) :: errorcode
      integer :: errorclass
      integer :: ierror
    end subroutine
    subroutine MPI_Error_string(errorcode, string, resultlen, ierror)
      import
      integer, intent(in) :: errorcode
      character(len=*) :: string
      integer :: resultlen
      integer :: ierror
    end subroutine
    subroutine PMPI_Error_string(errorcode, string, resultlen, ierror)
      import
      integer, intent(in) :: errorcode
      character(len=*) :: string
      integer :: resultlen
      integer :: ierror
    end subroutine
    subroutine MPI_File_call_errhandler(fh, errorcode, ierror)
      import
      integer, intent(in) :: fh
      integer, intent(in) :: errorcode
      integer :: ierror
    end subroutine
    subroutine PMPI_File_call_errhandler(fh, errorcode, ierror)
      import
      integer, intent(in) :: fh
      integer, intent(in) :: errorcode
      integer :: ierror
    end subroutine
    subroutine MPI_File_close(fh, ierror)
      import
      integer :: fh
      integer :: ierror
    end subroutine
    subroutine PMPI_File_close(fh, ierror)
      import
      integer :: fh
      integer :: ierror
    end subroutine
    subroutine MPI_File_create_errhandler(file_errhandler_fn, errhandler, ierror)
      import
      external :: file_errhandler_fn
      integer :: errhandler
      integer :: ierror
    end subroutine
    subroutine PMPI_File_create_errhandler(file_errhandler_fn, errhandler, ierror)
      import
      external :: file_errhandler_fn
      integer :: errhandler
      integer :: ierror
    end subroutine
    subroutine MPI_File_delete(filename, info, ierror)
      import
      character(len=*) :: filename
      integer, intent(in) :: info
      integer :: ierror
    end subroutine
    subroutine PMPI_File_delete(filename, info, ierror)
      import
      character(len=*) :: filename
      integer, intent(in) :: info
      integer :: ierror
    end subroutine
    subroutine MPI_File_get_amode(fh, amode, ierror)
      import
      integer, intent(in) :: fh
      integer :: amode
      integer :: ierror
    end subroutine
    subroutine PMPI_File_get_amode(fh, amode, ierror)
      import
      integer, intent(in) :: fh
      integer :: amode
      integer :: ierror
    end subroutine
    subroutine MPI_File_get_atomicity(fh, flag, ierror)
      import
      integer, intent(in) :: fh
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine PMPI_File_get_atomicity(fh, flag, ierror)
      import
      integer, intent(in) :: fh
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine MPI_File_get_byte_offset(fh, offset, disp, ierror)
      import
      integer, intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer(MPI_OFFSET_KIND) :: disp
      integer :: ierror
    end subroutine
    subroutine PMPI_File_get_byte_offset(fh, offset, disp, ierror)
      import
      integer, intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer(MPI_OFFSET_KIND) :: disp
      integer :: ierror
    end subroutine
    subroutine MPI_File_get_errhandler(file, errhandler, ierror)
      import
      integer, intent(in) :: file
      integer :: errhandler
      integer :: ierror
    end subroutine
    subroutine PMPI_File_get_errhandler(file, errhandler, ierror)
      import
      integer, intent(in) :: file
      integer :: errhandler
      integer :: ierror
    end subroutine
    subroutine MPI_File_get_group(fh, group, ierror)
      import
      integer, intent(in) :: fh
      integer :: group
      integer :: ierror
    end subroutine
    subroutine PMPI_File_get_group(fh, group, ierror)
      import
      integer, intent(in) :: fh
      integer :: group
      integer :: ierror
    end subroutine
    subroutine MPI_File_get_info(fh, info_used, ierror)
      import
      integer, intent(in) :: fh
      integer :: info_used
      integer :: ierror
    end subroutine
    subroutine PMPI_File_get_info(fh, info_used, ierror)
      import
      integer, intent(in) :: fh
      integer :: info_used
      integer :: ierror
    end subroutine
    subroutine MPI_File_get_position(fh, offset, ierror)
      import
      integer, intent(in) :: fh
      integer(MPI_OFFSET_KIND) :: offset
      integer :: ierror
    end subroutine
    subroutine PMPI_File_get_position(fh, offset, ierror)
      import
      integer, intent(in) :: fh
      integer(MPI_OFFSET_KIND) :: offset
      integer :: ierror
    end subroutine
    subroutine MPI_File_get_position_shared(fh, offset, ierror)
      import
      integer, intent(in) :: fh
      integer(MPI_OFFSET_KIND) :: offset
      integer :: ierror
    end subroutine
    subroutine PMPI_File_get_position_shared(fh, offset, ierror)
      import
      integer, intent(in) :: fh
      integer(MPI_OFFSET_KIND) :: offset
      integer :: ierror
    end subroutine
    subroutine MPI_File_get_size(fh, size, ierror)
      import
      integer, intent(in) :: fh
      integer(MPI_OFFSET_KIND) :: size
      integer :: ierror
    end subroutine
    subroutine PMPI_File_get_size(fh, size, ierror)
      import
      integer, intent(in) :: fh
      integer(MPI_OFFSET_KIND) :: size
      integer :: ierror
    end subroutine
    subroutine MPI_File_get_type_extent(fh, datatype, extent, ierror)
      import
      integer, intent(in) :: fh
      integer, intent(in) :: datatype
      integer(MPI_ADDRESS_KIND) :: extent
      integer :: ierror
    end subroutine
    subroutine PMPI_File_get_type_extent(fh, datatype, extent, ierror)
      import
      integer, intent(in) :: fh
      integer, intent(in) :: datatype
      integer(MPI_ADDRESS_KIND) :: extent
      integer :: ierror
    end subroutine
    subroutine MPI_File_get_view(fh, disp, etype, filetype, datarep, ierror)
      import
      integer, intent(in) :: fh
      integer(MPI_OFFSET_KIND) :: disp
      integer :: etype
      integer :: filetype
      character(len=*) :: datarep
      integer :: ierror
    end subroutine
    subroutine PMPI_File_get_view(fh, disp, etype, filetype, datarep, ierror)
      import
      integer, intent(in) :: fh
      integer(MPI_OFFSET_KIND) :: disp
      integer :: etype
      integer :: filetype
      character(len=*) :: datarep
      integer :: ierror
    end subroutine
    subroutine MPI_File_open(comm, filename, amode, info, fh, ierror)
      import
      integer, intent(in) :: comm
      character(len=*) :: filename
      integer, intent(in) :: amode
      integer, intent(in) :: info
      integer :: fh
      integer :: ierror
    end subroutine
    subroutine PMPI_File_open(comm, filename, amode, info, fh, ierror)
      import
      integer, intent(in) :: comm
      character(len=*) :: filename
      integer, intent(in) :: amode
      integer, intent(in) :: info
      integer :: fh
      integer :: ierror
    end subroutine
    subroutine MPI_File_preallocate(fh, size, ierror)
      import
      integer, intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: size
      integer :: ierror
    end subroutine
    subroutine PMPI_File_preallocate(fh, size, ierror)
      import
      integer, intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: size
      integer :: ierror
    end subroutine
    subroutine MPI_File_seek(fh, offset, whence, ierror)
      import
      integer, intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer, intent(in) :: whence
      integer :: ierror
    end subroutine
    subroutine PMPI_File_seek(fh, offset, whence, ierror)
      import
      integer, intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer, intent(in) :: whence
      integer :: ierror
    end subroutine
    subroutine MPI_File_seek_shared(fh, offset, whence, ierror)
      import
      integer, intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer, intent(in) :: whence
      integer :: ierror
    end subroutine
    subroutine PMPI_File_seek_shared(fh, offset, whence, ierror)
      import
      integer, intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer, intent(in) :: whence
      integer :: ierror
    end subroutine
    subroutine MPI_File_set_atomicity(fh, flag, ierror)
      import
      integer, intent(in) :: fh
      logical, intent(in) :: flag
      integer :: ierror
    end subroutine
    subroutine PMPI_File_set_atomicity(fh, flag, ierror)
      import
      integer, intent(in) :: fh
      logical, intent(in) :: flag
      integer :: ierror
    end subroutine
    subroutine MPI_File_set_errhandler(file, errhandler, ierror)
      import
      integer, intent(in) :: file
      integer, intent(in) :: errhandler
      integer :: ierror
    end subroutine
    subroutine PMPI_File_set_errhandler(file, errhandler, ierror)
      import
      integer, intent(in) :: file
      integer, intent(in) :: errhandler
      integer :: ierror
    end subroutine
    subroutine MPI_File_set_info(fh, info, ierror)
      import
      integer, intent(in) :: fh
      integer, intent(in) :: info
      integer :: ierror
    end subroutine
    subroutine PMPI_File_set_info(fh, info, ierror)
      import
      integer, intent(in) :: fh
      integer, intent(in) :: info
      integer :: ierror
    end subroutine
    subroutine MPI_File_set_size(fh, size, ierror)
      import
      integer, intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: size
      integer :: ierror
    end subroutine
    subroutine PMPI_File_set_size(fh, size, ierror)
      import
      integer, intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: size
      integer :: ierror
    end subroutine
    subroutine MPI_File_set_view(fh, disp, etype, filetype, datarep, info, ierror)
      import
      integer, intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: disp
      integer, intent(in) :: etype
      integer, intent(in) :: filetype
      character(len=*) :: datarep
      integer, intent(in) :: info
      integer :: ierror
    end subroutine
    subroutine PMPI_File_set_view(fh, disp, etype, filetype, datarep, info, ierror)
      import
      integer, intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: disp
      integer, intent(in) :: etype
      integer, intent(in) :: filetype
      character(len=*) :: datarep
      integer, intent(in) :: info
      integer :: ierror
    end subroutine
    subroutine MPI_File_sync(fh, ierror)
      import
      integer, intent(in) :: fh
      integer :: ierror
    end subroutine
    subroutine PMPI_File_sync(fh, ierror)
      import
      integer, intent(in) :: fh
      integer :: ierror
    end subroutine
    subroutine MPI_Finalize(ierror)
      import
      integer :: ierror
    end subroutine
    subroutine PMPI_Finalize(ierror)
      import
      integer :: ierror
    end subroutine
    subroutine MPI_Finalized(flag, ierror)
      import
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine PMPI_Finalized(flag, ierror)
      import
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine MPI_Get_count(status, datatype, count, ierror)
      import
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: datatype
      integer :: count
      integer :: ierror
    end subroutine
    subroutine PMPI_Get_count(status, datatype, count, ierror)
      import
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: datatype
      integer :: count
      integer :: ierror
    end subroutine
    subroutine MPI_Get_elements(status, datatype, count, ierror)
      import
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: datatype
      integer :: count
      integer :: ierror
    end subroutine
    subroutine PMPI_Get_elements(status, datatype, count, ierror)
      import
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: datatype
      integer :: count
      integer :: ierror
    end subroutine
    subroutine MPI_Get_elements_x(status, datatype, count, ierror)
      import
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: datatype
      integer(MPI_COUNT_KIND) :: count
      integer :: ierror
    end subroutine
    subroutine PMPI_Get_elements_x(status, datatype, count, ierror)
      import
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: datatype
      integer(MPI_COUNT_KIND) :: count
      integer :: ierror
    end subroutine
    subroutine MPI_Get_hw_resource_info(hw_info, ierror)
      import
      integer :: hw_info
      integer :: ierror
    end subroutine
    subroutine PMPI_Get_hw_resource_info(hw_info, ierror)
      import
      integer :: hw_info
      integer :: ierror
    end subroutine
    subroutine MPI_Get_library_version(version, resultlen, ierror)
      import
      character(len=*) :: version
      integer :: resultlen
      integer :: ierror
    end subroutine
    subroutine PMPI_Get_library_version(version, resultlen, ierror)
      import
      character(len=*) :: version
      integer :: resultlen
      integer :: ierror
    end subroutine
    subroutine MPI_Get_processor_name(name, resultlen, ierror)
      import
      character(len=*) :: name
      integer :: resultlen
      integer :: ierror
    end subroutine
    subroutine PMPI_Get_processor_name(name, resultlen, ierror)
      import
      character(len=*) :: name
      integer :: resultlen
      integer :: ierror
    end subroutine
    subroutine MPI_Get_version(version, subversion, ierror)
      import
      integer :: version
      integer :: subversion
      integer :: ierror
    end subroutine
    subroutine PMPI_Get_version(version, subversion, ierror)
      import
      integer :: version
      integer :: subversion
      integer :: ierror
    end subroutine
    subroutine MPI_Graph_create(comm_old, nnodes, index, edges, reorder, comm_graph, ierror)
      import
      integer, intent(in) :: comm_old
      integer, intent(in) :: nnodes
      integer :: index(*)
      integer :: edges(*)
      logical, intent(in) :: reorder
      integer :: comm_graph
      integer :: ierror
    end subroutine
    subroutine PMPI_Graph_create(comm_old, nnodes, index, edges, reorder, comm_graph, ierror)
      import
      integer, intent(in) :: comm_old
      integer, intent(in) :: nnodes
      integer :: index(*)
      integer :: edges(*)
      logical, intent(in) :: reorder
      integer :: comm_graph
      integer :: ierror
    end subroutine
    subroutine MPI_Graph_get(comm, maxindex, maxedges, index, edges, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: maxindex
      integer, intent(in) :: maxedges
      integer :: index(*)
      integer :: edges(*)
      integer :: ierror
    end subroutine
    subroutine PMPI_Graph_get(comm, maxindex, maxedges, index, edges, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: maxindex
      integer, intent(in) :: maxedges
      integer :: index(*)
      integer :: edges(*)
      integer :: ierror
    end subroutine
    subroutine MPI_Graph_map(comm, nnodes, index, edges, newrank, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: nnodes
      integer :: index(*)
      integer :: edges(*)
      integer :: newrank
      integer :: ierror
    end subroutine
    subroutine PMPI_Graph_map(comm, nnodes, index, edges, newrank, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: nnodes
      integer :: index(*)
      integer :: edges(*)
      integer :: newrank
      integer :: ierror
    end subroutine
    subroutine MPI_Graph_neighbors(comm, rank, maxneighbors, neighbors, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: rank
      integer, intent(in) :: maxneighbors
      integer :: neighbors(*)
      integer :: ierror
    end subroutine
    subroutine PMPI_Graph_neighbors(comm, rank, maxneighbors, neighbors, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: rank
      integer, intent(in) :: maxneighbors
      integer :: neighbors(*)
      integer :: ierror
    end subroutine
    subroutine MPI_Graph_neighbors_count(comm, rank, nneighbors, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: rank
      integer :: nneighbors
      integer :: ierror
    end subroutine
    subroutine PMPI_Graph_neighbors_count(comm, rank, nneighbors, ierror)
      import
      integer, intent(in) :: comm
      integer, intent(in) :: rank
      integer :: nneighbors
      integer :: ierror
    end subroutine
    subroutine MPI_Graphdims_get(comm, nnodes, nedges, ierror)
      import
      integer, intent(in) :: comm
      integer :: nnodes
      integer :: nedges
      integer :: ierror
    end subroutine
    subroutine PMPI_Graphdims_get(comm, nnodes, nedges, ierror)
      import
      integer, intent(in) :: comm
      integer :: nnodes
      integer :: nedges
      integer :: ierror
    end subroutine
    subroutine MPI_Grequest_complete(request, ierror)
      import
      integer, intent(in) :: request
      integer :: ierror
    end subroutine
    subroutine PMPI_Grequest_complete(request, ierror)
      import
      integer, intent(in) :: request
      integer :: ierror
    end subroutine
    subroutine MPI_Grequest_start(query_fn, free_fn, cancel_fn, extra_state, request, ierror)
      import
      external :: query_fn
      external :: free_fn
      external :: cancel_fn
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer :: request
      integer :: ierror
    end subroutine
    subroutine PMPI_Grequest_start(query_fn, free_fn, cancel_fn, extra_state, request, ierror)
      import
      external :: query_fn
      external :: free_fn
      external :: cancel_fn
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer :: request
      integer :: ierror
    end subroutine
    subroutine MPI_Group_compare(group1, group2, result, ierror)
      import
      integer, intent(in) :: group1
      integer, intent(in) :: group2
      integer :: result
      integer :: ierror
    end subroutine
    subroutine PMPI_Group_compare(group1, group2, result, ierror)
      import
      integer, intent(in) :: group1
      integer, intent(in) :: group2
      integer :: result
      integer :: ierror
    end subroutine
    subroutine MPI_Group_difference(group1, group2, newgroup, ierror)
      import
      integer, intent(in) :: group1
      integer, intent(in) :: group2
      integer :: newgroup
      integer :: ierror
    end subroutine
    subroutine PMPI_Group_difference(group1, group2, newgroup, ierror)
      import
      integer, intent(in) :: group1
      integer, intent(in) :: group2
      integer :: newgroup
      integer :: ierror
    end subroutine
    subroutine MPI_Group_excl(group, n, ranks, newgroup, ierror)
      import
      integer, intent(in) :: group
      integer, intent(in) :: n
      integer :: ranks(*)
      integer :: newgroup
      integer :: ierror
    end subroutine
    subroutine PMPI_Group_excl(group, n, ranks, newgroup, ierror)
      import
      integer, intent(in) :: group
      integer, intent(in) :: n
      integer :: ranks(*)
      integer :: newgroup
      integer :: ierror
    end subroutine
    subroutine MPI_Group_free(group, ierror)
      import
      integer :: group
      integer :: ierror
    end subroutine
    subroutine PMPI_Group_free(group, ierror)
      import
      integer :: group
      integer :: ierror
    end subroutine
    subroutine MPI_Group_from_session_pset(session, pset_name, newgroup, ierror)
      import
      integer, intent(in) :: session
      character(len=*) :: pset_name
      integer :: newgroup
      integer :: ierror
    end subroutine
    subroutine PMPI_Group_from_session_pset(session, pset_name, newgroup, ierror)
      import
      integer, intent(in) :: session
      character(len=*) :: pset_name
      integer :: newgroup
      integer :: ierror
    end subroutine
    subroutine MPI_Group_incl(group, n, ranks, newgroup, ierror)
      import
      integer, intent(in) :: group
      integer, intent(in) :: n
      integer :: ranks(*)
      integer :: newgroup
      integer :: ierror
    end subroutine
    subroutine PMPI_Group_incl(group, n, ranks, newgroup, ierror)
      import
      integer, intent(in) :: group
      integer, intent(in) :: n
      integer :: ranks(*)
      integer :: newgroup
      integer :: ierror
    end subroutine
    subroutine MPI_Group_intersection(group1, group2, newgroup, ierror)
      import
      integer, intent(in) :: group1
      integer, intent(in) :: group2
      integer :: newgroup
      integer :: ierror
    end subroutine
    subroutine PMPI_Group_intersection(group1, group2, newgroup, ierror)
      import
      integer, intent(in) :: group1
      integer, intent(in) :: group2
      integer :: newgroup
      integer :: ierror
    end subroutine
    subroutine MPI_Group_range_excl(group, n, ranges, newgroup, ierror)
      import
      integer, intent(in) :: group
      integer, intent(in) :: n
      integer :: ranges(3, *)
      integer :: newgroup
      integer :: ierror
    end subroutine
    subroutine PMPI_Group_range_excl(group, n, ranges, newgroup, ierror)
      import
      integer, intent(in) :: group
      integer, intent(in) :: n
      integer :: ranges(3, *)
      integer :: newgroup
      integer :: ierror
    end subroutine
    subroutine MPI_Group_range_incl(group, n, ranges, newgroup, ierror)
      import
      integer, intent(in) :: group
      integer, intent(in) :: n
      integer :: ranges(3, *)
      integer :: newgroup
      integer :: ierror
    end subroutine
    subroutine PMPI_Group_range_incl(group, n, ranges, newgroup, ierror)
      import
      integer, intent(in) :: group
      integer, intent(in) :: n
      integer :: ranges(3, *)
      integer :: newgroup
      integer :: ierror
    end subroutine
    subroutine MPI_Group_rank(group, rank, ierror)
      import
      integer, intent(in) :: group
      integer :: rank
      integer :: ierror
    end subroutine
    subroutine PMPI_Group_rank(group, rank, ierror)
      import
      integer, intent(in) :: group
      integer :: rank
      integer :: ierror
    end subroutine
    subroutine MPI_Group_size(group, size, ierror)
      import
      integer, intent(in) :: group
      integer :: size
      integer :: ierror
    end subroutine
    subroutine PMPI_Group_size(group, size, ierror)
      import
      integer, intent(in) :: group
      integer :: size
      integer :: ierror
    end subroutine
    subroutine MPI_Group_translate_ranks(group1, n, ranks1, group2, ranks2, ierror)
      import
      integer, intent(in) :: group1
      integer, intent(in) :: n
      integer :: ranks1(*)
      integer, intent(in) :: group2
      integer :: ranks2(*)
      integer :: ierror
    end subroutine
    subroutine PMPI_Group_translate_ranks(group1, n, ranks1, group2, ranks2, ierror)
      import
      integer, intent(in) :: group1
      integer, intent(in) :: n
      integer :: ranks1(*)
      integer, intent(in) :: group2
      integer :: ranks2(*)
      integer :: ierror
    end subroutine
    subroutine MPI_Group_union(group1, group2, newgroup, ierror)
      import
      integer, intent(in) :: group1
      integer, intent(in) :: group2
      integer :: newgroup
      integer :: ierror
    end subroutine
    subroutine PMPI_Group_union(group1, group2, newgroup, ierror)
      import
      integer, intent(in) :: group1
      integer, intent(in) :: group2
      integer :: newgroup
      integer :: ierror
    end subroutine
    subroutine MPI_Ibarrier(comm, request, ierror)
      import
      integer, intent(in) :: comm
      integer :: request
      integer :: ierror
    end subroutine
    subroutine PMPI_Ibarrier(comm, request, ierror)
      import
      integer, intent(in) :: comm
      integer :: request
      integer :: ierror
    end subroutine
    subroutine MPI_Improbe(source, tag, comm, flag, message, status, ierror)
      import
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      logical :: flag
      integer :: message
      integer :: status(MPI_STATUS_SIZE)
      integer :: ierror
    end subroutine
    subroutine PMPI_Improbe(source, tag, comm, flag, message, status, ierror)
      import
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      logical :: flag
      integer :: message
      integer :: status(MPI_STATUS_SIZE)
      integer :: ierror
    end subroutine
    subroutine MPI_Info_create(info, ierror)
      import
      integer :: info
      integer :: ierror
    end subroutine
    subroutine PMPI_Info_create(info, ierror)
      import
      integer :: info
      integer :: ierror
    end subroutine
    subroutine MPI_Info_create_env(info, ierror)
      import
      integer :: info
      integer :: ierror
    end subroutine
    subroutine PMPI_Info_create_env(info, ierror)
      import
      integer :: info
      integer :: ierror
    end subroutine
    subroutine MPI_Info_delete(info, key, ierror)
      import
      integer, intent(in) :: info
      character(len=*) :: key
      integer :: ierror
    end subroutine
    subroutine PMPI_Info_delete(info, key, ierror)
      import
      integer, intent(in) :: info
      character(len=*) :: key
      integer :: ierror
    end subroutine
    subroutine MPI_Info_dup(info, newinfo, ierror)
      import
      integer, intent(in) :: info
      integer :: newinfo
      integer :: ierror
    end subroutine
    subroutine PMPI_Info_dup(info, newinfo, ierror)
      import
      integer, intent(in) :: info
      integer :: newinfo
      integer :: ierror
    end subroutine
    subroutine MPI_Info_free(info, ierror)
      import
      integer :: info
      integer :: ierror
    end subroutine
    subroutine PMPI_Info_free(info, ierror)
      import
      integer :: info
      integer :: ierror
    end subroutine
    subroutine MPI_Info_get(info, key, valuelen, value, flag, ierror)
      import
      integer, intent(in) :: info
      character(len=*) :: key
      integer, intent(in) :: valuelen
      character(len=*) :: value
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine PMPI_Info_get(info, key, valuelen, value, flag, ierror)
      import
      integer, intent(in) :: info
      character(len=*) :: key
      integer, intent(in) :: valuelen
      character(len=*) :: value
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine MPI_Info_get_nkeys(info, nkeys, ierror)
      import
      integer, intent(in) :: info
      integer :: nkeys
      integer :: ierror
    end subroutine
    subroutine PMPI_Info_get_nkeys(info, nkeys, ierror)
      import
      integer, intent(in) :: info
      integer :: nkeys
      integer :: ierror
    end subroutine
    subroutine MPI_Info_get_nthkey(info, n, key, ierror)
      import
      integer, intent(in) :: info
      integer, intent(in) :: n
      character(len=*) :: key
      integer :: ierror
    end subroutine
    subroutine PMPI_Info_get_nthkey(info, n, key, ierror)
      import
      integer, intent(in) :: info
      integer, intent(in) :: n
      character(len=*) :: key
      integer :: ierror
    end subroutine
    subroutine MPI_Info_get_string(info, key, buflen, value, flag, ierror)
      import
      integer, intent(in) :: info
      character(len=*) :: key
      integer :: buflen
      character(len=*) :: value
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine PMPI_Info_get_string(info, key, buflen, value, flag, ierror)
      import
      integer, intent(in) :: info
      character(len=*) :: key
      integer :: buflen
      character(len=*) :: value
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine MPI_Info_get_valuelen(info, key, valuelen, flag, ierror)
      import
      integer, intent(in) :: info
      character(len=*) :: key
      integer :: valuelen
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine PMPI_Info_get_valuelen(info, key, valuelen, flag, ierror)
      import
      integer, intent(in) :: info
      character(len=*) :: key
      integer :: valuelen
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine MPI_Info_set(info, key, value, ierror)
      import
      integer, intent(in) :: info
      character(len=*) :: key
      character(len=*) :: value
      integer :: ierror
    end subroutine
    subroutine PMPI_Info_set(info, key, value, ierror)
      import
      integer, intent(in) :: info
      character(len=*) :: key
      character(len=*) :: value
      integer :: ierror
    end subroutine
    subroutine MPI_Init(ierror)
      import
      integer :: ierror
    end subroutine
    subroutine PMPI_Init(ierror)
      import
      integer :: ierror
    end subroutine
    subroutine MPI_Init_thread(required, provided, ierror)
      import
      integer, intent(in) :: required
      integer :: provided
      integer :: ierror
    end subroutine
    subroutine PMPI_Init_thread(required, provided, ierror)
      import
      integer, intent(in) :: required
      integer :: provided
      integer :: ierror
    end subroutine
    subroutine MPI_Initialized(flag, ierror)
      import
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine PMPI_Initialized(flag, ierror)
      import
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine MPI_Intercomm_create(local_comm, local_leader, peer_comm, remote_leader, tag, &
        newintercomm, ierror)
      import
      integer, intent(in) :: local_comm
      integer, intent(in) :: local_leader
      integer, intent(in) :: peer_comm
      integer, intent(in) :: remote_leader
      integer, intent(in) :: tag
      integer :: newintercomm
      integer :: ierror
    end subroutine
    subroutine PMPI_Intercomm_create(local_comm, local_leader, peer_comm, remote_leader, tag, &
        newintercomm, ierror)
      import
      integer, intent(in) :: local_comm
      integer, intent(in) :: local_leader
      integer, intent(in) :: peer_comm
      integer, intent(in) :: remote_leader
      integer, intent(in) :: tag
      integer :: newintercomm
      integer :: ierror
    end subroutine
    subroutine MPI_Intercomm_create_from_groups(local_group, local_leader, remote_group, &
        remote_leader, stringtag, info, errhandler, newintercomm, ierror)
      import
      integer, intent(in) :: local_group
      integer, intent(in) :: local_leader
      integer, intent(in) :: remote_group
      integer, intent(in) :: remote_leader
      character(len=*) :: stringtag
      integer, intent(in) :: info
      integer, intent(in) :: errhandler
      integer :: newintercomm
      integer :: ierror
    end subroutine
    subroutine PMPI_Intercomm_create_from_groups(local_group, local_leader, remote_group, &
        remote_leader, stringtag, info, errhandler, newintercomm, ierror)
      import
      integer, intent(in) :: local_group
      integer, intent(in) :: local_leader
      integer, intent(in) :: remote_group
      integer, intent(in) :: remote_leader
      character(len=*) :: stringtag
      integer, intent(in) :: info
      integer, intent(in) :: errhandler
      integer :: newintercomm
      integer :: ierror
    end subroutine
    subroutine MPI_Intercomm_merge(intercomm, high, newintracomm, ierror)
      import
      integer, intent(in) :: intercomm
      logical, intent(in) :: high
      integer :: newintracomm
      integer :: ierror
    end subroutine
    subroutine PMPI_Intercomm_merge(intercomm, high, newintracomm, ierror)
      import
      integer, intent(in) :: intercomm
      logical, intent(in) :: high
      integer :: newintracomm
      integer :: ierror
    end subroutine
    subroutine MPI_Iprobe(source, tag, comm, flag, status, ierror)
      import
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      logical :: flag
      integer :: status(MPI_STATUS_SIZE)
      integer :: ierror
    end subroutine
    subroutine PMPI_Iprobe(source, tag, comm, flag, status, ierror)
      import
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      logical :: flag
      integer :: status(MPI_STATUS_SIZE)
      integer :: ierror
    end subroutine
    subroutine MPI_Is_thread_main(flag, ierror)
      import
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine PMPI_Is_thread_main(flag, ierror)
      import
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine MPI_Keyval_create(copy_fn, delete_fn, keyval, extra_state, ierror)
      import
      external :: copy_fn
      external :: delete_fn
      integer :: keyval
      integer :: extra_state
      integer :: ierror
    end subroutine
    subroutine PMPI_Keyval_create(copy_fn, delete_fn, keyval, extra_state, ierror)
      import
      external :: copy_fn
      external :: delete_fn
      integer :: keyval
      integer :: extra_state
      integer :: ierror
    end subroutine
    subroutine MPI_Keyval_free(keyval, ierror)
      import
      integer :: keyval
      integer :: ierror
    end subroutine
    subroutine PMPI_Keyval_free(keyval, ierror)
      import
      integer :: keyval
      integer :: ierror
    end subroutine
    subroutine MPI_Lookup_name(service_name, info, port_name, ierror)
      import
      character(len=*) :: service_name
      integer, intent(in) :: info
      character(len=*) :: port_name
      integer :: ierror
    end subroutine
    subroutine PMPI_Lookup_name(service_name, info, port_name, ierror)
      import
      character(len=*) :: service_name
      integer, intent(in) :: info
      character(len=*) :: port_name
      integer :: ierror
    end subroutine
    subroutine MPI_Mprobe(source, tag, comm, message, status, ierror)
      import
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer :: message
      integer :: status(MPI_STATUS_SIZE)
      integer :: ierror
    end subroutine
    subroutine PMPI_Mprobe(source, tag, comm, message, status, ierror)
      import
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer :: message
      integer :: status(MPI_STATUS_SIZE)
      integer :: ierror
    end subroutine
    subroutine MPI_Op_commutative(op, commute, ierror)
      import
      integer, intent(in) :: op
      logical :: commute
      integer :: ierror
    end subroutine
    subroutine PMPI_Op_commutative(op, commute, ierror)
      import
      integer, intent(in) :: op
      logical :: commute
      integer :: ierror
    end subroutine
    subroutine MPI_Op_create(user_fn, commute, op, ierror)
      import
      external :: user_fn
      logical, intent(in) :: commute
      integer :: op
      integer :: ierror
    end subroutine
    subroutine PMPI_Op_create(user_fn, commute, op, ierror)
      import
      external :: user_fn
      logical, intent(in) :: commute
      integer :: op
      integer :: ierror
    end subroutine
    subroutine MPI_Op_free(op, ierror)
      import
      integer :: op
      integer :: ierror
    end subroutine
    subroutine PMPI_Op_free(op, ierror)
      import
      integer :: op
      integer :: ierror
    end subroutine
    subroutine MPI_Open_port(info, port_name, ierror)
      import
      integer, intent(in) :: info
      character(len=*) :: port_name
      integer :: ierror
    end subroutine
    subroutine PMPI_Open_port(info, port_name, ierror)
      import
      integer, intent(in) :: info
      character(len=*) :: port_name
      integer :: ierror
    end subroutine
    subroutine MPI_Pack_external_size(datarep, incount, datatype, size, ierror)
      import
      character(len=*) :: datarep
      integer, intent(in) :: incount
      integer, intent(in) :: datatype
      integer(MPI_ADDRESS_KIND) :: size
      integer :: ierror
    end subroutine
    subroutine PMPI_Pack_external_size(datarep, incount, datatype, size, ierror)
      import
      character(len=*) :: datarep
      integer, intent(in) :: incount
      integer, intent(in) :: datatype
      integer(MPI_ADDRESS_KIND) :: size
      integer :: ierror
    end subroutine
    subroutine MPI_Pack_size(incount, datatype, comm, size, ierror)
      import
      integer, intent(in) :: incount
      integer, intent(in) :: datatype
      integer, intent(in) :: comm
      integer :: size
      integer :: ierror
    end subroutine
    subroutine PMPI_Pack_size(incount, datatype, comm, size, ierror)
      import
      integer, intent(in) :: incount
      integer, intent(in) :: datatype
      integer, intent(in) :: comm
      integer :: size
      integer :: ierror
    end subroutine
    subroutine MPI_Parrived(request, partition, flag, ierror)
      import
      integer, intent(in) :: request
      integer, intent(in) :: partition
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine PMPI_Parrived(request, partition, flag, ierror)
      import
      integer, intent(in) :: request
      integer, intent(in) :: partition
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine MPI_Pcontrol(level, ierror)
      import
      integer, intent(in) :: level
      integer :: ierror
    end subroutine
    subroutine PMPI_Pcontrol(level, ierror)
      import
      integer, intent(in) :: level
      integer :: ierror
    end subroutine
    subroutine MPI_Pready(partition, request, ierror)
      import
      integer, intent(in) :: partition
      integer, intent(in) :: request
      integer :: ierror
    end subroutine
    subroutine PMPI_Pready(partition, request, ierror)
      import
      integer, intent(in) :: partition
      integer, intent(in) :: request
      integer :: ierror
    end subroutine
    subroutine MPI_Pready_list(length, array_of_partitions, request, ierror)
      import
      integer, intent(in) :: length
      integer :: array_of_partitions(*)
      integer, intent(in) :: request
      integer :: ierror
    end subroutine
    subroutine PMPI_Pready_list(length, array_of_partitions, request, ierror)
      import
      integer, intent(in) :: length
      integer :: array_of_partitions(*)
      integer, intent(in) :: request
      integer :: ierror
    end subroutine
    subroutine MPI_Pready_range(partition_low, partition_high, request, ierror)
      import
      integer, intent(in) :: partition_low
      integer, intent(in) :: partition_high
      integer, intent(in) :: request
      integer :: ierror
    end subroutine
    subroutine PMPI_Pready_range(partition_low, partition_high, request, ierror)
      import
      integer, intent(in) :: partition_low
      integer, intent(in) :: partition_high
      integer, intent(in) :: request
      integer :: ierror
    end subroutine
    subroutine MPI_Probe(source, tag, comm, status, ierror)
      import
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer :: status(MPI_STATUS_SIZE)
      integer :: ierror
    end subroutine
    subroutine PMPI_Probe(source, tag, comm, status, ierror)
      import
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer :: status(MPI_STATUS_SIZE)
      integer :: ierror
    end subroutine
    subroutine MPI_Publish_name(service_name, info, port_name, ierror)
      import
      character(len=*) :: service_name
      integer, intent(in) :: info
      character(len=*) :: port_name
      integer :: ierror
    end subroutine
    subroutine PMPI_Publish_name(service_name, info, port_name, ierror)
      import
      character(len=*) :: service_name
      integer, intent(in) :: info
      character(len=*) :: port_name
      integer :: ierror
    end subroutine
    subroutine MPI_Query_thread(provided, ierror)
      import
      integer :: provided
      integer :: ierror
    end subroutine
    subroutine PMPI_Query_thread(provided, ierror)
      import
      integer :: provided
      integer :: ierror
    end subroutine
    subroutine MPI_Register_datarep(datarep, read_conversion_fn, write_conversion_fn, &
        dtype_file_extent_fn, extra_state, ierror)
      import
      character(len=*) :: datarep
      external :: read_conversion_fn
      external :: write_conversion_fn
      external :: dtype_file_extent_fn
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer :: ierror
    end subroutine
    subroutine PMPI_Register_datarep(datarep, read_conversion_fn, write_conversion_fn, &
        dtype_file_extent_fn, extra_state, ierror)
      import
      character(len=*) :: datarep
      external :: read_conversion_fn
      external :: write_conversion_fn
      external :: dtype_file_extent_fn
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer :: ierror
    end subroutine
    subroutine MPI_Remove_error_class(errorclass, ierror)
      import
      integer, intent(in) :: errorclass
      integer :: ierror
    end subroutine
    subroutine PMPI_Remove_error_class(errorclass, ierror)
      import
      integer, intent(in) :: errorclass
      integer :: ierror
    end subroutine
    subroutine MPI_Remove_error_code(errorcode, ierror)
      import
      integer, intent(in) :: errorcode
      integer :: ierror
    end subroutine
    subroutine PMPI_Remove_error_code(errorcode, ierror)
      import
      integer, intent(in) :: errorcode
      integer :: ierror
    end subroutine
    subroutine MPI_Remove_error_string(errorcode, ierror)
      import
      integer, intent(in) :: errorcode
      integer :: ierror
    end subroutine
    subroutine PMPI_Remove_error_string(errorcode, ierror)
      import
      integer, intent(in) :: errorcode
      integer :: ierror
    end subroutine
    subroutine MPI_Request_free(request, ierror)
      import
      integer :: request
      integer :: ierror
    end subroutine
    subroutine PMPI_Request_free(request, ierror)
      import
      integer :: request
      integer :: ierror
    end subroutine
    subroutine MPI_Request_get_status(request, flag, status, ierror)
      import
      integer, intent(in) :: request
      logical :: flag
      integer :: status(MPI_STATUS_SIZE)
      integer :: ierror
    end subroutine
    subroutine PMPI_Request_get_status(request, flag, status, ierror)
      import
      integer, intent(in) :: request
      logical :: flag
      integer :: status(MPI_STATUS_SIZE)
      integer :: ierror
    end subroutine
    subroutine MPI_Request_get_status_all(count, array_of_requests, flag, array_of_statuses, &
        ierror)
      import
      integer, intent(in) :: count
      integer :: array_of_requests(*)
      logical :: flag
      integer :: array_of_statuses(MPI_STATUS_SIZE, *)
      integer :: ierror
    end subroutine
    subroutine PMPI_Request_get_status_all(count, array_of_requests, flag, array_of_statuses, &
        ierror)
      import
      integer, intent(in) :: count
      integer :: array_of_requests(*)
      logical :: flag
      integer :: array_of_statuses(MPI_STATUS_SIZE, *)
      integer :: ierror
    end subroutine
    subroutine MPI_Request_get_status_any(count, array_of_requests, index, flag, status, ierror)
      import
      integer, intent(in) :: count
      integer :: array_of_requests(*)
      integer :: index
      logical :: flag
      integer :: status(MPI_STATUS_SIZE)
      integer :: ierror
    end subroutine
    subroutine PMPI_Request_get_status_any(count, array_of_requests, index, flag, status, ierror)
      import
      integer, intent(in) :: count
      integer :: array_of_requests(*)
      integer :: index
      logical :: flag
      integer :: status(MPI_STATUS_SIZE)
      integer :: ierror
    end subroutine
    subroutine MPI_Request_get_status_some(incount, array_of_requests, outcount, &
        array_of_indices, array_of_statuses, ierror)
      import
      integer, intent(in) :: incount
      integer :: array_of_requests(*)
      integer :: outcount
      integer :: array_of_indices(*)
      integer :: array_of_statuses(MPI_STATUS_SIZE, *)
      integer :: ierror
    end subroutine
    subroutine PMPI_Request_get_status_some(incount, array_of_requests, outcount, &
        array_of_indices, array_of_statuses, ierror)
      import
      integer, intent(in) :: incount
      integer :: array_of_requests(*)
      integer :: outcount
      integer :: array_of_indices(*)
      integer :: array_of_statuses(MPI_STATUS_SIZE, *)
      integer :: ierror
    end subroutine
    subroutine MPI_Session_call_errhandler(session, errorcode, ierror)
      import
      integer, intent(in) :: session
      integer, intent(in) :: errorcode
      integer :: ierror
    end subroutine
    subroutine PMPI_Session_call_errhandler(session, errorcode, ierror)
      import
      integer, intent(in) :: session
      integer, intent(in) :: errorcode
      integer :: ierror
    end subroutine
    subroutine MPI_Session_create_errhandler(session_errhandler_fn, errhandler, ierror)
      import
      external :: session_errhandler_fn
      integer :: errhandler
      integer :: ierror
    end subroutine
    subroutine PMPI_Session_create_errhandler(session_errhandler_fn, errhandler, ierror)
      import
      external :: session_errhandler_fn
      integer :: errhandler
      integer :: ierror
    end subroutine
    subroutine MPI_Session_finalize(session, ierror)
      import
      integer :: session
      integer :: ierror
    end subroutine
    subroutine PMPI_Session_finalize(session, ierror)
      import
      integer :: session
      integer :: ierror
    end subroutine
    subroutine MPI_Session_flush_buffer(session, ierror)
      import
      integer, intent(in) :: session
      integer :: ierror
    end subroutine
    subroutine PMPI_Session_flush_buffer(session, ierror)
      import
      integer, intent(in) :: session
      integer :: ierror
    end subroutine
    subroutine MPI_Session_get_errhandler(session, errhandler, ierror)
      import
      integer, intent(in) :: session
      integer :: errhandler
      integer :: ierror
    end subroutine
    subroutine PMPI_Session_get_errhandler(session, errhandler, ierror)
      import
      integer, intent(in) :: session
      integer :: errhandler
      integer :: ierror
    end subroutine
    subroutine MPI_Session_get_info(session, info_used, ierror)
      import
      integer, intent(in) :: session
      integer :: info_used
      integer :: ierror
    end subroutine
    subroutine PMPI_Session_get_info(session, info_used, ierror)
      import
      integer, intent(in) :: session
      integer :: info_used
      integer :: ierror
    end subroutine
    subroutine MPI_Session_get_nth_pset(session, info, n, pset_len, pset_name, ierror)
      import
      integer, intent(in) :: session
      integer, intent(in) :: info
      integer, intent(in) :: n
      integer :: pset_len
      character(len=*) :: pset_name
      integer :: ierror
    end subroutine
    subroutine PMPI_Session_get_nth_pset(session, info, n, pset_len, pset_name, ierror)
      import
      integer, intent(in) :: session
      integer, intent(in) :: info
      integer, intent(in) :: n
      integer :: pset_len
      character(len=*) :: pset_name
      integer :: ierror
    end subroutine
    subroutine MPI_Session_get_num_psets(session, info, npset_names, ierror)
      import
      integer, intent(in) :: session
      integer, intent(in) :: info
      integer :: npset_names
      integer :: ierror
    end subroutine
    subroutine PMPI_Session_get_num_psets(session, info, npset_names, ierror)
      import
      integer, intent(in) :: session
      integer, intent(in) :: info
      integer :: npset_names
      integer :: ierror
    end subroutine
    subroutine MPI_Session_get_pset_info(session, pset_name, info, ierror)
      import
      integer, intent(in) :: session
      character(len=*) :: pset_name
      integer :: info
      integer :: ierror
    end subroutine
    subroutine PMPI_Session_get_pset_info(session, pset_name, info, ierror)
      import
      integer, intent(in) :: session
      character(len=*) :: pset_name
      integer :: info
      integer :: ierror
    end subroutine
    subroutine MPI_Session_iflush_buffer(session, request, ierror)
      import
      integer, intent(in) :: session
      integer :: request
      integer :: ierror
    end subroutine
    subroutine PMPI_Session_iflush_buffer(session, request, ierror)
      import
      integer, intent(in) :: session
      integer :: request
      integer :: ierror
    end subroutine
    subroutine MPI_Session_init(info, errhandler, session, ierror)
      import
      integer, intent(in) :: info
      integer, intent(in) :: errhandler
      integer :: session
      integer :: ierror
    end subroutine
    subroutine PMPI_Session_init(info, errhandler, session, ierror)
      import
      integer, intent(in) :: info
      integer, intent(in) :: errhandler
      integer :: session
      integer :: ierror
    end subroutine
    subroutine MPI_Session_set_errhandler(session, errhandler, ierror)
      import
      integer, intent(in) :: session
      integer, intent(in) :: errhandler
      integer :: ierror
    end subroutine
    subroutine PMPI_Session_set_errhandler(session, errhandler, ierror)
      import
      integer, intent(in) :: session
      integer, intent(in) :: errhandler
      integer :: ierror
    end subroutine
    subroutine MPI_Start(request, ierror)
      import
      integer :: request
      integer :: ierror
    end subroutine
    subroutine PMPI_Start(request, ierror)
      import
      integer :: request
      integer :: ierror
    end subroutine
    subroutine MPI_Startall(count, array_of_requests, ierror)
      import
      integer, intent(in) :: count
      integer :: array_of_requests(*)
      integer :: ierror
    end subroutine
    subroutine PMPI_Startall(count, array_of_requests, ierror)
      import
      integer, intent(in) :: count
      integer :: array_of_requests(*)
      integer :: ierror
    end subroutine
    subroutine MPI_Status_get_error(status, err, ierror)
      import
      integer :: status(MPI_STATUS_SIZE)
      integer :: err
      integer :: ierror
    end subroutine
    subroutine PMPI_Status_get_error(status, err, ierror)
      import
      integer :: status(MPI_STATUS_SIZE)
      integer :: err
      integer :: ierror
    end subroutine
    subroutine MPI_Status_get_source(status, source, ierror)
      import
      integer :: status(MPI_STATUS_SIZE)
      integer :: source
      integer :: ierror
    end subroutine
    subroutine PMPI_Status_get_source(status, source, ierror)
      import
      integer :: status(MPI_STATUS_SIZE)
      integer :: source
      integer :: ierror
    end subroutine
    subroutine MPI_Status_get_tag(status, tag, ierror)
      import
      integer :: status(MPI_STATUS_SIZE)
      integer :: tag
      integer :: ierror
    end subroutine
    subroutine PMPI_Status_get_tag(status, tag, ierror)
      import
      integer :: status(MPI_STATUS_SIZE)
      integer :: tag
      integer :: ierror
    end subroutine
    subroutine MPI_Status_set_cancelled(status, flag, ierror)
      import
      integer :: status(MPI_STATUS_SIZE)
      logical, intent(in) :: flag
      integer :: ierror
    end subroutine
    subroutine PMPI_Status_set_cancelled(status, flag, ierror)
      import
      integer :: status(MPI_STATUS_SIZE)
      logical, intent(in) :: flag
      integer :: ierror
    end subroutine
    subroutine MPI_Status_set_elements(status, datatype, count, ierror)
      import
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: datatype
      integer, intent(in) :: count
      integer :: ierror
    end subroutine
    subroutine PMPI_Status_set_elements(status, datatype, count, ierror)
      import
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: datatype
      integer, intent(in) :: count
      integer :: ierror
    end subroutine
    subroutine MPI_Status_set_elements_x(status, datatype, count, ierror)
      import
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: datatype
      integer(MPI_COUNT_KIND), intent(in) :: count
      integer :: ierror
    end subroutine
    subroutine PMPI_Status_set_elements_x(status, datatype, count, ierror)
      import
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: datatype
      integer(MPI_COUNT_KIND), intent(in) :: count
      integer :: ierror
    end subroutine
    subroutine MPI_Status_set_error(status, err, ierror)
      import
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: err
      integer :: ierror
    end subroutine
    subroutine PMPI_Status_set_error(status, err, ierror)
      import
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: err
      integer :: ierror
    end subroutine
    subroutine MPI_Status_set_source(status, source, ierror)
      import
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: source
      integer :: ierror
    end subroutine
    subroutine PMPI_Status_set_source(status, source, ierror)
      import
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: source
      integer :: ierror
    end subroutine
    subroutine MPI_Status_set_tag(status, tag, ierror)
      import
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: tag
      integer :: ierror
    end subroutine
    subroutine PMPI_Status_set_tag(status, tag, ierror)
      import
      integer :: status(MPI_STATUS_SIZE)
      integer, intent(in) :: tag
      integer :: ierror
    end subroutine
    subroutine MPI_Test(request, flag, status, ierror)
      import
      integer :: request
      logical :: flag
      integer :: status(MPI_STATUS_SIZE)
      integer :: ierror
    end subroutine
    subroutine PMPI_Test(request, flag, status, ierror)
      import
      integer :: request
      logical :: flag
      integer :: status(MPI_STATUS_SIZE)
      integer :: ierror
    end subroutine
    subroutine MPI_Test_cancelled(status, flag, ierror)
      import
      integer :: status(MPI_STATUS_SIZE)
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine PMPI_Test_cancelled(status, flag, ierror)
      import
      integer :: status(MPI_STATUS_SIZE)
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine MPI_Testall(count, array_of_requests, flag, array_of_statuses, ierror)
      import
      integer, intent(in) :: count
      integer :: array_of_requests(*)
      logical :: flag
      integer :: array_of_statuses(MPI_STATUS_SIZE, *)
      integer :: ierror
    end subroutine
    subroutine PMPI_Testall(count, array_of_requests, flag, array_of_statuses, ierror)
      import
      integer, intent(in) :: count
      integer :: array_of_requests(*)
      logical :: flag
      integer :: array_of_statuses(MPI_STATUS_SIZE, *)
      integer :: ierror
    end subroutine
    subroutine MPI_Testany(count, array_of_requests, index, flag, status, ierror)
      import
      integer, intent(in) :: count
      integer :: array_of_requests(*)
      integer :: index
      logical :: flag
      integer :: status(MPI_STATUS_SIZE)
      integer :: ierror
    end subroutine
    subroutine PMPI_Testany(count, array_of_requests, index, flag, status, ierror)
      import
      integer, intent(in) :: count
      integer :: array_of_requests(*)
      integer :: index
      logical :: flag
      integer :: status(MPI_STATUS_SIZE)
      integer :: ierror
    end subroutine
    subroutine MPI_Testsome(incount, array_of_requests, outcount, array_of_indices, &
        array_of_statuses, ierror)
      import
      integer, intent(in) :: incount
      integer :: array_of_requests(*)
      integer :: outcount
      integer :: array_of_indices(*)
      integer :: array_of_statuses(MPI_STATUS_SIZE, *)
      integer :: ierror
    end subroutine
    subroutine PMPI_Testsome(incount, array_of_requests, outcount, array_of_indices, &
        array_of_statuses, ierror)
      import
      integer, intent(in) :: incount
      integer :: array_of_requests(*)
      integer :: outcount
      integer :: array_of_indices(*)
      integer :: array_of_statuses(MPI_STATUS_SIZE, *)
      integer :: ierror
    end subroutine
    subroutine MPI_Topo_test(comm, status, ierror)
      import
      integer, intent(in) :: comm
      integer :: status
      integer :: ierror
    end subroutine
    subroutine PMPI_Topo_test(comm, status, ierror)
      import
      integer, intent(in) :: comm
      integer :: status
      integer :: ierror
    end subroutine
    subroutine MPI_Type_commit(datatype, ierror)
      import
      integer :: datatype
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_commit(datatype, ierror)
      import
      integer :: datatype
      integer :: ierror
    end subroutine
    subroutine MPI_Type_contiguous(count, oldtype, newtype, ierror)
      import
      integer, intent(in) :: count
      integer, intent(in) :: oldtype
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_contiguous(count, oldtype, newtype, ierror)
      import
      integer, intent(in) :: count
      integer, intent(in) :: oldtype
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine MPI_Type_create_darray(size, rank, ndims, array_of_gsizes, array_of_distribs, &
        array_of_dargs, array_of_psizes, order, oldtype, newtype, ierror)
      import
      integer, intent(in) :: size
      integer, intent(in) :: rank
      integer, intent(in) :: ndims
      integer :: array_of_gsizes(*)
      integer :: array_of_distribs(*)
      integer :: array_of_dargs(*)
      integer :: array_of_psizes(*)
      integer, intent(in) :: order
      integer, intent(in) :: oldtype
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_create_darray(size, rank, ndims, array_of_gsizes, array_of_distribs, &
        array_of_dargs, array_of_psizes, order, oldtype, newtype, ierror)
      import
      integer, intent(in) :: size
      integer, intent(in) :: rank
      integer, intent(in) :: ndims
      integer :: array_of_gsizes(*)
      integer :: array_of_distribs(*)
      integer :: array_of_dargs(*)
      integer :: array_of_psizes(*)
      integer, intent(in) :: order
      integer, intent(in) :: oldtype
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine MPI_Type_create_f90_complex(p, r, newtype, ierror)
      import
      integer, intent(in) :: p
      integer, intent(in) :: r
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_create_f90_complex(p, r, newtype, ierror)
      import
      integer, intent(in) :: p
      integer, intent(in) :: r
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine MPI_Type_create_f90_integer(r, newtype, ierror)
      import
      integer, intent(in) :: r
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_create_f90_integer(r, newtype, ierror)
      import
      integer, intent(in) :: r
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine MPI_Type_create_f90_real(p, r, newtype, ierror)
      import
      integer, intent(in) :: p
      integer, intent(in) :: r
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_create_f90_real(p, r, newtype, ierror)
      import
      integer, intent(in) :: p
      integer, intent(in) :: r
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine MPI_Type_create_hindexed(count, array_of_blocklengths, array_of_displacements, &
        oldtype, newtype, ierror)
      import
      integer, intent(in) :: count
      integer :: array_of_blocklengths(*)
      integer(MPI_ADDRESS_KIND) :: array_of_displacements(*)
      integer, intent(in) :: oldtype
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_create_hindexed(count, array_of_blocklengths, array_of_displacements, &
        oldtype, newtype, ierror)
      import
      integer, intent(in) :: count
      integer :: array_of_blocklengths(*)
      integer(MPI_ADDRESS_KIND) :: array_of_displacements(*)
      integer, intent(in) :: oldtype
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine MPI_Type_create_hindexed_block(count, blocklength, array_of_displacements, &
        oldtype, newtype, ierror)
      import
      integer, intent(in) :: count
      integer, intent(in) :: blocklength
      integer(MPI_ADDRESS_KIND) :: array_of_displacements(*)
      integer, intent(in) :: oldtype
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_create_hindexed_block(count, blocklength, array_of_displacements, &
        oldtype, newtype, ierror)
      import
      integer, intent(in) :: count
      integer, intent(in) :: blocklength
      integer(MPI_ADDRESS_KIND) :: array_of_displacements(*)
      integer, intent(in) :: oldtype
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine MPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype, ierror)
      import
      integer, intent(in) :: count
      integer, intent(in) :: blocklength
      integer(MPI_ADDRESS_KIND), intent(in) :: stride
      integer, intent(in) :: oldtype
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype, ierror)
      import
      integer, intent(in) :: count
      integer, intent(in) :: blocklength
      integer(MPI_ADDRESS_KIND), intent(in) :: stride
      integer, intent(in) :: oldtype
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine MPI_Type_create_indexed_block(count, blocklength, array_of_displacements, oldtype, &
        newtype, ierror)
      import
      integer, intent(in) :: count
      integer, intent(in) :: blocklength
      integer :: array_of_displacements(*)
      integer, intent(in) :: oldtype
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_create_indexed_block(count, blocklength, array_of_displacements, &
        oldtype, newtype, ierror)
      import
      integer, intent(in) :: count
      integer, intent(in) :: blocklength
      integer :: array_of_displacements(*)
      integer, intent(in) :: oldtype
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine MPI_Type_create_keyval(type_copy_attr_fn, type_delete_attr_fn, type_keyval, &
        extra_state, ierror)
      import
      external :: type_copy_attr_fn
      external :: type_delete_attr_fn
      integer :: type_keyval
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_create_keyval(type_copy_attr_fn, type_delete_attr_fn, type_keyval, &
        extra_state, ierror)
      import
      external :: type_copy_attr_fn
      external :: type_delete_attr_fn
      integer :: type_keyval
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer :: ierror
    end subroutine
    subroutine MPI_Type_create_resized(oldtype, lb, extent, newtype, ierror)
      import
      integer, intent(in) :: oldtype
      integer(MPI_ADDRESS_KIND), intent(in) :: lb
      integer(MPI_ADDRESS_KIND), intent(in) :: extent
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_create_resized(oldtype, lb, extent, newtype, ierror)
      import
      integer, intent(in) :: oldtype
      integer(MPI_ADDRESS_KIND), intent(in) :: lb
      integer(MPI_ADDRESS_KIND), intent(in) :: extent
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine MPI_Type_create_struct(count, array_of_blocklengths, array_of_displacements, &
        array_of_types, newtype, ierror)
      import
      integer, intent(in) :: count
      integer :: array_of_blocklengths(*)
      integer(MPI_ADDRESS_KIND) :: array_of_displacements(*)
      integer :: array_of_types(*)
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_create_struct(count, array_of_blocklengths, array_of_displacements, &
        array_of_types, newtype, ierror)
      import
      integer, intent(in) :: count
      integer :: array_of_blocklengths(*)
      integer(MPI_ADDRESS_KIND) :: array_of_displacements(*)
      integer :: array_of_types(*)
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine MPI_Type_create_subarray(ndims, array_of_sizes, array_of_subsizes, &
        array_of_starts, order, oldtype, newtype, ierror)
      import
      integer, intent(in) :: ndims
      integer :: array_of_sizes(*)
      integer :: array_of_subsizes(*)
      integer :: array_of_starts(*)
      integer, intent(in) :: order
      integer, intent(in) :: oldtype
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_create_subarray(ndims, array_of_sizes, array_of_subsizes, &
        array_of_starts, order, oldtype, newtype, ierror)
      import
      integer, intent(in) :: ndims
      integer :: array_of_sizes(*)
      integer :: array_of_subsizes(*)
      integer :: array_of_starts(*)
      integer, intent(in) :: order
      integer, intent(in) :: oldtype
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine MPI_Type_delete_attr(datatype, type_keyval, ierror)
      import
      integer, intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_delete_attr(datatype, type_keyval, ierror)
      import
      integer, intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer :: ierror
    end subroutine
    subroutine MPI_Type_dup(oldtype, newtype, ierror)
      import
      integer, intent(in) :: oldtype
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_dup(oldtype, newtype, ierror)
      import
      integer, intent(in) :: oldtype
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine MPI_Type_free(datatype, ierror)
      import
      integer :: datatype
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_free(datatype, ierror)
      import
      integer :: datatype
      integer :: ierror
    end subroutine
    subroutine MPI_Type_free_keyval(type_keyval, ierror)
      import
      integer :: type_keyval
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_free_keyval(type_keyval, ierror)
      import
      integer :: type_keyval
      integer :: ierror
    end subroutine
    subroutine MPI_Type_get_attr(datatype, type_keyval, attribute_val, flag, ierror)
      import
      integer, intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer(MPI_ADDRESS_KIND) :: attribute_val
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_get_attr(datatype, type_keyval, attribute_val, flag, ierror)
      import
      integer, intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer(MPI_ADDRESS_KIND) :: attribute_val
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine MPI_Type_get_contents(datatype, max_integers, max_addresses, max_datatypes, &
        array_of_integers, array_of_addresses, array_of_datatypes, ierror)
      import
      integer, intent(in) :: datatype
      integer, intent(in) :: max_integers
      integer, intent(in) :: max_addresses
      integer, intent(in) :: max_datatypes
      integer :: array_of_integers(*)
      integer(MPI_ADDRESS_KIND) :: array_of_addresses(*)
      integer :: array_of_datatypes(*)
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_get_contents(datatype, max_integers, max_addresses, max_datatypes, &
        array_of_integers, array_of_addresses, array_of_datatypes, ierror)
      import
      integer, intent(in) :: datatype
      integer, intent(in) :: max_integers
      integer, intent(in) :: max_addresses
      integer, intent(in) :: max_datatypes
      integer :: array_of_integers(*)
      integer(MPI_ADDRESS_KIND) :: array_of_addresses(*)
      integer :: array_of_datatypes(*)
      integer :: ierror
    end subroutine
    subroutine MPI_Type_get_envelope(datatype, num_integers, num_addresses, num_datatypes, &
        combiner, ierror)
      import
      integer, intent(in) :: datatype
      integer :: num_integers
      integer :: num_addresses
      integer :: num_datatypes
      integer :: combiner
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_get_envelope(datatype, num_integers, num_addresses, num_datatypes, &
        combiner, ierror)
      import
      integer, intent(in) :: datatype
      integer :: num_integers
      integer :: num_addresses
      integer :: num_datatypes
      integer :: combiner
      integer :: ierror
    end subroutine
    subroutine MPI_Type_get_extent(datatype, lb, extent, ierror)
      import
      integer, intent(in) :: datatype
      integer(MPI_ADDRESS_KIND) :: lb
      integer(MPI_ADDRESS_KIND) :: extent
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_get_extent(datatype, lb, extent, ierror)
      import
      integer, intent(in) :: datatype
      integer(MPI_ADDRESS_KIND) :: lb
      integer(MPI_ADDRESS_KIND) :: extent
      integer :: ierror
    end subroutine
    subroutine MPI_Type_get_extent_x(datatype, lb, extent, ierror)
      import
      integer, intent(in) :: datatype
      integer(MPI_COUNT_KIND) :: lb
      integer(MPI_COUNT_KIND) :: extent
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_get_extent_x(datatype, lb, extent, ierror)
      import
      integer, intent(in) :: datatype
      integer(MPI_COUNT_KIND) :: lb
      integer(MPI_COUNT_KIND) :: extent
      integer :: ierror
    end subroutine
    subroutine MPI_Type_get_name(datatype, type_name, resultlen, ierror)
      import
      integer, intent(in) :: datatype
      character(len=*) :: type_name
      integer :: resultlen
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_get_name(datatype, type_name, resultlen, ierror)
      import
      integer, intent(in) :: datatype
      character(len=*) :: type_name
      integer :: resultlen
      integer :: ierror
    end subroutine
    subroutine MPI_Type_get_true_extent(datatype, true_lb, true_extent, ierror)
      import
      integer, intent(in) :: datatype
      integer(MPI_ADDRESS_KIND) :: true_lb
      integer(MPI_ADDRESS_KIND) :: true_extent
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_get_true_extent(datatype, true_lb, true_extent, ierror)
      import
      integer, intent(in) :: datatype
      integer(MPI_ADDRESS_KIND) :: true_lb
      integer(MPI_ADDRESS_KIND) :: true_extent
      integer :: ierror
    end subroutine
    subroutine MPI_Type_get_true_extent_x(datatype, true_lb, true_extent, ierror)
      import
      integer, intent(in) :: datatype
      integer(MPI_COUNT_KIND) :: true_lb
      integer(MPI_COUNT_KIND) :: true_extent
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_get_true_extent_x(datatype, true_lb, true_extent, ierror)
      import
      integer, intent(in) :: datatype
      integer(MPI_COUNT_KIND) :: true_lb
      integer(MPI_COUNT_KIND) :: true_extent
      integer :: ierror
    end subroutine
    subroutine MPI_Type_get_value_index(value_type, index_type, pair_type, ierror)
      import
      integer, intent(in) :: value_type
      integer, intent(in) :: index_type
      integer :: pair_type
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_get_value_index(value_type, index_type, pair_type, ierror)
      import
      integer, intent(in) :: value_type
      integer, intent(in) :: index_type
      integer :: pair_type
      integer :: ierror
    end subroutine
    subroutine MPI_Type_indexed(count, array_of_blocklengths, array_of_displacements, oldtype, &
        newtype, ierror)
      import
      integer, intent(in) :: count
      integer :: array_of_blocklengths(*)
      integer :: array_of_displacements(*)
      integer, intent(in) :: oldtype
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_indexed(count, array_of_blocklengths, array_of_displacements, oldtype, &
        newtype, ierror)
      import
      integer, intent(in) :: count
      integer :: array_of_blocklengths(*)
      integer :: array_of_displacements(*)
      integer, intent(in) :: oldtype
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine MPI_Type_match_size(typeclass, size, datatype, ierror)
      import
      integer, intent(in) :: typeclass
      integer, intent(in) :: size
      integer :: datatype
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_match_size(typeclass, size, datatype, ierror)
      import
      integer, intent(in) :: typeclass
      integer, intent(in) :: size
      integer :: datatype
      integer :: ierror
    end subroutine
    subroutine MPI_Type_set_attr(datatype, type_keyval, attribute_val, ierror)
      import
      integer, intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer(MPI_ADDRESS_KIND) :: attribute_val
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_set_attr(datatype, type_keyval, attribute_val, ierror)
      import
      integer, intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer(MPI_ADDRESS_KIND) :: attribute_val
      integer :: ierror
    end subroutine
    subroutine MPI_Type_set_name(datatype, type_name, ierror)
      import
      integer, intent(in) :: datatype
      character(len=*) :: type_name
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_set_name(datatype, type_name, ierror)
      import
      integer, intent(in) :: datatype
      character(len=*) :: type_name
      integer :: ierror
    end subroutine
    subroutine MPI_Type_size(datatype, size, ierror)
      import
      integer, intent(in) :: datatype
      integer :: size
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_size(datatype, size, ierror)
      import
      integer, intent(in) :: datatype
      integer :: size
      integer :: ierror
    end subroutine
    subroutine MPI_Type_size_x(datatype, size, ierror)
      import
      integer, intent(in) :: datatype
      integer(MPI_COUNT_KIND) :: size
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_size_x(datatype, size, ierror)
      import
      integer, intent(in) :: datatype
      integer(MPI_COUNT_KIND) :: size
      integer :: ierror
    end subroutine
    subroutine MPI_Type_vector(count, blocklength, stride, oldtype, newtype, ierror)
      import
      integer, intent(in) :: count
      integer, intent(in) :: blocklength
      integer, intent(in) :: stride
      integer, intent(in) :: oldtype
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine PMPI_Type_vector(count, blocklength, stride, oldtype, newtype, ierror)
      import
      integer, intent(in) :: count
      integer, intent(in) :: blocklength
      integer, intent(in) :: stride
      integer, intent(in) :: oldtype
      integer :: newtype
      integer :: ierror
    end subroutine
    subroutine MPI_Unpublish_name(service_name, info, port_name, ierror)
      import
      character(len=*) :: service_name
      integer, intent(in) :: info
      character(len=*) :: port_name
      integer :: ierror
    end subroutine
    subroutine PMPI_Unpublish_name(service_name, info, port_name, ierror)
      import
      character(len=*) :: service_name
      integer, intent(in) :: info
      character(len=*) :: port_name
      integer :: ierror
    end subroutine
    subroutine MPI_Wait(request, status, ierror)
      import
      integer :: request
      integer :: status(MPI_STATUS_SIZE)
      integer :: ierror
    end subroutine
    subroutine PMPI_Wait(request, status, ierror)
      import
      integer :: request
      integer :: status(MPI_STATUS_SIZE)
      integer :: ierror
    end subroutine
    subroutine MPI_Waitall(count, array_of_requests, array_of_statuses, ierror)
      import
      integer, intent(in) :: count
      integer :: array_of_requests(*)
      integer :: array_of_statuses(MPI_STATUS_SIZE, *)
      integer :: ierror
    end subroutine
    subroutine PMPI_Waitall(count, array_of_requests, array_of_statuses, ierror)
      import
      integer, intent(in) :: count
      integer :: array_of_requests(*)
      integer :: array_of_statuses(MPI_STATUS_SIZE, *)
      integer :: ierror
    end subroutine
    subroutine MPI_Waitany(count, array_of_requests, index, status, ierror)
      import
      integer, intent(in) :: count
      integer :: array_of_requests(*)
      integer :: index
      integer :: status(MPI_STATUS_SIZE)
      integer :: ierror
    end subroutine
    subroutine PMPI_Waitany(count, array_of_requests, index, status, ierror)
      import
      integer, intent(in) :: count
      integer :: array_of_requests(*)
      integer :: index
      integer :: status(MPI_STATUS_SIZE)
      integer :: ierror
    end subroutine
    subroutine MPI_Waitsome(incount, array_of_requests, outcount, array_of_indices, &
        array_of_statuses, ierror)
      import
      integer, intent(in) :: incount
      integer :: array_of_requests(*)
      integer :: outcount
      integer :: array_of_indices(*)
      integer :: array_of_statuses(MPI_STATUS_SIZE, *)
      integer :: ierror
    end subroutine
    subroutine PMPI_Waitsome(incount, array_of_requests, outcount, array_of_indices, &
        array_of_statuses, ierror)
      import
      integer, intent(in) :: incount
      integer :: array_of_requests(*)
      integer :: outcount
      integer :: array_of_indices(*)
      integer :: array_of_statuses(MPI_STATUS_SIZE, *)
      integer :: ierror
    end subroutine
    subroutine MPI_Win_allocate(size, disp_unit, info, comm, baseptr, win, ierror)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: disp_unit
      integer, intent(in) :: info
      integer, intent(in) :: comm
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      integer :: win
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_allocate(size, disp_unit, info, comm, baseptr, win, ierror)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: disp_unit
      integer, intent(in) :: info
      integer, intent(in) :: comm
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      integer :: win
      integer :: ierror
    end subroutine
    subroutine MPI_Win_allocate_shared(size, disp_unit, info, comm, baseptr, win, ierror)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: disp_unit
      integer, intent(in) :: info
      integer, intent(in) :: comm
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      integer :: win
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_allocate_shared(size, disp_unit, info, comm, baseptr, win, ierror)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: disp_unit
      integer, intent(in) :: info
      integer, intent(in) :: comm
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      integer :: win
      integer :: ierror
    end subroutine
    subroutine MPI_Win_call_errhandler(win, errorcode, ierror)
      import
      integer, intent(in) :: win
      integer, intent(in) :: errorcode
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_call_errhandler(win, errorcode, ierror)
      import
      integer, intent(in) :: win
      integer, intent(in) :: errorcode
      integer :: ierror
    end subroutine
    subroutine MPI_Win_complete(win, ierror)
      import
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_complete(win, ierror)
      import
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine MPI_Win_create_dynamic(info, comm, win, ierror)
      import
      integer, intent(in) :: info
      integer, intent(in) :: comm
      integer :: win
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_create_dynamic(info, comm, win, ierror)
      import
      integer, intent(in) :: info
      integer, intent(in) :: comm
      integer :: win
      integer :: ierror
    end subroutine
    subroutine MPI_Win_create_errhandler(win_errhandler_fn, errhandler, ierror)
      import
      external :: win_errhandler_fn
      integer :: errhandler
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_create_errhandler(win_errhandler_fn, errhandler, ierror)
      import
      external :: win_errhandler_fn
      integer :: errhandler
      integer :: ierror
    end subroutine
    subroutine MPI_Win_create_keyval(win_copy_attr_fn, win_delete_attr_fn, win_keyval, &
        extra_state, ierror)
      import
      external :: win_copy_attr_fn
      external :: win_delete_attr_fn
      integer :: win_keyval
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_create_keyval(win_copy_attr_fn, win_delete_attr_fn, win_keyval, &
        extra_state, ierror)
      import
      external :: win_copy_attr_fn
      external :: win_delete_attr_fn
      integer :: win_keyval
      integer(MPI_ADDRESS_KIND) :: extra_state
      integer :: ierror
    end subroutine
    subroutine MPI_Win_delete_attr(win, win_keyval, ierror)
      import
      integer, intent(in) :: win
      integer, intent(in) :: win_keyval
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_delete_attr(win, win_keyval, ierror)
      import
      integer, intent(in) :: win
      integer, intent(in) :: win_keyval
      integer :: ierror
    end subroutine
    subroutine MPI_Win_fence(assert, win, ierror)
      import
      integer, intent(in) :: assert
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_fence(assert, win, ierror)
      import
      integer, intent(in) :: assert
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine MPI_Win_flush(rank, win, ierror)
      import
      integer, intent(in) :: rank
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_flush(rank, win, ierror)
      import
      integer, intent(in) :: rank
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine MPI_Win_flush_all(win, ierror)
      import
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_flush_all(win, ierror)
      import
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine MPI_Win_flush_local(rank, win, ierror)
      import
      integer, intent(in) :: rank
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_flush_local(rank, win, ierror)
      import
      integer, intent(in) :: rank
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine MPI_Win_flush_local_all(win, ierror)
      import
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_flush_local_all(win, ierror)
      import
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine MPI_Win_free(win, ierror)
      import
      integer :: win
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_free(win, ierror)
      import
      integer :: win
      integer :: ierror
    end subroutine
    subroutine MPI_Win_free_keyval(win_keyval, ierror)
      import
      integer :: win_keyval
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_free_keyval(win_keyval, ierror)
      import
      integer :: win_keyval
      integer :: ierror
    end subroutine
    subroutine MPI_Win_get_attr(win, win_keyval, attribute_val, flag, ierror)
      import
      integer, intent(in) :: win
      integer, intent(in) :: win_keyval
      integer(MPI_ADDRESS_KIND) :: attribute_val
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_get_attr(win, win_keyval, attribute_val, flag, ierror)
      import
      integer, intent(in) :: win
      integer, intent(in) :: win_keyval
      integer(MPI_ADDRESS_KIND) :: attribute_val
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine MPI_Win_get_errhandler(win, errhandler, ierror)
      import
      integer, intent(in) :: win
      integer :: errhandler
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_get_errhandler(win, errhandler, ierror)
      import
      integer, intent(in) :: win
      integer :: errhandler
      integer :: ierror
    end subroutine
    subroutine MPI_Win_get_group(win, group, ierror)
      import
      integer, intent(in) :: win
      integer :: group
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_get_group(win, group, ierror)
      import
      integer, intent(in) :: win
      integer :: group
      integer :: ierror
    end subroutine
    subroutine MPI_Win_get_info(win, info_used, ierror)
      import
      integer, intent(in) :: win
      integer :: info_used
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_get_info(win, info_used, ierror)
      import
      integer, intent(in) :: win
      integer :: info_used
      integer :: ierror
    end subroutine
    subroutine MPI_Win_get_name(win, win_name, resultlen, ierror)
      import
      integer, intent(in) :: win
      character(len=*) :: win_name
      integer :: resultlen
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_get_name(win, win_name, resultlen, ierror)
      import
      integer, intent(in) :: win
      character(len=*) :: win_name
      integer :: resultlen
      integer :: ierror
    end subroutine
    subroutine MPI_Win_lock(lock_type, rank, assert, win, ierror)
      import
      integer, intent(in) :: lock_type
      integer, intent(in) :: rank
      integer, intent(in) :: assert
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_lock(lock_type, rank, assert, win, ierror)
      import
      integer, intent(in) :: lock_type
      integer, intent(in) :: rank
      integer, intent(in) :: assert
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine MPI_Win_lock_all(assert, win, ierror)
      import
      integer, intent(in) :: assert
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_lock_all(assert, win, ierror)
      import
      integer, intent(in) :: assert
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine MPI_Win_post(group, assert, win, ierror)
      import
      integer, intent(in) :: group
      integer, intent(in) :: assert
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_post(group, assert, win, ierror)
      import
      integer, intent(in) :: group
      integer, intent(in) :: assert
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine MPI_Win_set_attr(win, win_keyval, attribute_val, ierror)
      import
      integer, intent(in) :: win
      integer, intent(in) :: win_keyval
      integer(MPI_ADDRESS_KIND) :: attribute_val
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_set_attr(win, win_keyval, attribute_val, ierror)
      import
      integer, intent(in) :: win
      integer, intent(in) :: win_keyval
      integer(MPI_ADDRESS_KIND) :: attribute_val
      integer :: ierror
    end subroutine
    subroutine MPI_Win_set_errhandler(win, errhandler, ierror)
      import
      integer, intent(in) :: win
      integer, intent(in) :: errhandler
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_set_errhandler(win, errhandler, ierror)
      import
      integer, intent(in) :: win
      integer, intent(in) :: errhandler
      integer :: ierror
    end subroutine
    subroutine MPI_Win_set_info(win, info, ierror)
      import
      integer, intent(in) :: win
      integer, intent(in) :: info
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_set_info(win, info, ierror)
      import
      integer, intent(in) :: win
      integer, intent(in) :: info
      integer :: ierror
    end subroutine
    subroutine MPI_Win_set_name(win, win_name, ierror)
      import
      integer, intent(in) :: win
      character(len=*) :: win_name
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_set_name(win, win_name, ierror)
      import
      integer, intent(in) :: win
      character(len=*) :: win_name
      integer :: ierror
    end subroutine
    subroutine MPI_Win_shared_query(win, rank, size, disp_unit, baseptr, ierror)
      import
      integer, intent(in) :: win
      integer, intent(in) :: rank
      integer(MPI_ADDRESS_KIND) :: size
      integer :: disp_unit
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_shared_query(win, rank, size, disp_unit, baseptr, ierror)
      import
      integer, intent(in) :: win
      integer, intent(in) :: rank
      integer(MPI_ADDRESS_KIND) :: size
      integer :: disp_unit
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
      !DIR$ IGNORE_TKR baseptr
      type(*), dimension(*) :: baseptr
      integer :: ierror
    end subroutine
    subroutine MPI_Win_start(group, assert, win, ierror)
      import
      integer, intent(in) :: group
      integer, intent(in) :: assert
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_start(group, assert, win, ierror)
      import
      integer, intent(in) :: group
      integer, intent(in) :: assert
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine MPI_Win_sync(win, ierror)
      import
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_sync(win, ierror)
      import
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine MPI_Win_test(win, flag, ierror)
      import
      integer, intent(in) :: win
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_test(win, flag, ierror)
      import
      integer, intent(in) :: win
      logical :: flag
      integer :: ierror
    end subroutine
    subroutine MPI_Win_unlock(rank, win, ierror)
      import
      integer, intent(in) :: rank
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_unlock(rank, win, ierror)
      import
      integer, intent(in) :: rank
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine MPI_Win_unlock_all(win, ierror)
      import
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_unlock_all(win, ierror)
      import
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine MPI_Win_wait(win, ierror)
      import
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    subroutine PMPI_Win_wait(win, ierror)
      import
      integer, intent(in) :: win
      integer :: ierror
    end subroutine
    function MPI_Wtick()
      import
      real(8) :: MPI_Wtick
    end function
    function PMPI_Wtick()
      import
      real(8) :: PMPI_Wtick
    end function
    function MPI_Wtime()
      import
      real(8) :: MPI_Wtime
    end function
    function PMPI_Wtime()
      import
      real(8) :: PMPI_Wtime
    end function
  end interface
end module mpi
