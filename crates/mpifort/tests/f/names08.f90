! What `mpi_f08` has: constants of statuses, profiling names, procedures by their specific names,
! functions that are not supported, and MPI's types in the module `mpi`.
program names08
  use mpi_f08
  use mpi, only: old_comm => MPI_Comm, old_status => MPI_Status
  implicit none
  integer :: me, np, got(2), words(MPI_STATUS_SIZE), ierr
  integer(MPI_COUNT_KIND) :: many
  integer(MPI_ADDRESS_KIND) :: here, there
  type(MPI_Status) :: status
  type(old_status) :: same
  type(old_comm) :: comm
  type(MPI_Request) :: request

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call PMPI_Comm_size(MPI_COMM_WORLD, np)
  comm = MPI_COMM_WORLD
  call PMPI_Sendrecv(me, 1, MPI_INTEGER, me, 7, got, 1, MPI_INTEGER, me, 7, comm, status)
  call MPI_Status_f082f(status, words)
  call check(words(MPI_SOURCE) == me .and. words(MPI_TAG) == 7 .and. got(1) == me, 1)
  words(MPI_ERROR) = 3
  call MPI_Status_f2f08(words, same)
  call check(same%MPI_ERROR == 3, 2)
  many = 1
  call PMPI_Bcast(got, many, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call check(got(1) == 0 .and. PMPI_Wtime() >= 0, 3)
  call PMPI_Irecv(got(2), 1, MPI_INTEGER, me, 8, comm, request)
  call PMPI_Send(me, 1, MPI_INTEGER, me, 8, comm)
  call PMPI_Wait(request, MPI_STATUS_IGNORE)
  call check(got(2) == me, 4)
  call PMPI_Get_address(got(1), here)
  call MPI_Get_address(got(2), there)
  call check(PMPI_Aint_diff(there, here) == 4, 5)
  if (np == huge(np)) then ! only that it compiles
    call MPI_Comm_spawn('program', MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, comm, &
                        MPI_ERRCODES_IGNORE)
    call MPI_Close_port('port', ierr)
  end if
  if (me == 0) print '(a,i0,a)', 'names08: ', np, ' ranks: good'
  call MPI_Finalize()

contains

  subroutine check(is_so, which)
    logical, intent(in) :: is_so
    integer, intent(in) :: which
    if (is_so) return
    print *, 'rank', me, 'check', which
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine
end program
